// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/user_states.h"

#include <cstddef>

namespace reprise::tape {

std::vector<std::any> saved_states(const std::vector<UserState>& states) {
  std::vector<std::any> saved;
  saved.reserve(states.size());
  for (const UserState& state : states) {
    saved.push_back(state.save());
  }
  return saved;
}

RestoredUserStates::RestoredUserStates(const std::vector<UserState>& states,
                                       const std::vector<std::any>& saved,
                                       std::exception_ptr& failure)
    : states_(states), present_(saved_states(states)), failure_(failure) {
  try {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      states_[i].restore(saved[i]);
    }
  } catch (...) {
    put_back();
    throw;
  }
}

RestoredUserStates::~RestoredUserStates() { put_back(); }

void RestoredUserStates::put_back() noexcept {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    try {
      states_[i].restore(present_[i]);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
}

}  // namespace reprise::tape
