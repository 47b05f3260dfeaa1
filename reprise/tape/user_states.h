// SPDX-License-Identifier: Apache-2.0
// State of the user's own (CheckpointOptions::states): saved at the first run, given back for a
// rerun.
#pragma once

#include <any>
#include <exception>
#include <vector>

#include "reprise/tape/region_options.h"

namespace reprise::tape {

std::vector<std::any> saved_states(const std::vector<UserState>& states);

// Gives the user's states what they were before the first run, for a scope.
class RestoredUserStates {
 public:
  // `failure` receives what a callback throws at the end of the scope, where nothing may fly.
  RestoredUserStates(const std::vector<UserState>& states, const std::vector<std::any>& saved,
                     std::exception_ptr& failure);
  ~RestoredUserStates();
  RestoredUserStates(const RestoredUserStates&) = delete;
  RestoredUserStates& operator=(const RestoredUserStates&) = delete;

 private:
  // Every state gets its own back, whatever another one's callback does.
  void put_back() noexcept;

  const std::vector<UserState>& states_;
  std::vector<std::any> present_;
  std::exception_ptr& failure_;
};

}  // namespace reprise::tape
