// SPDX-License-Identifier: Apache-2.0
// The states that generators had when a region first drew from them.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include "reprise/tape/op_effects.h"

namespace reprise::tape {

struct GeneratorState {
  at::Generator generator;
  at::Tensor state;
};

class RandomStates {
 public:
  // Remembers generators that may be drawn from unseen; those that were not are forgotten by
  // `forget_unused`.
  void watch(const std::vector<at::Generator>& generators);
  void forget_unused();

  // Remembers the state of the op's generator, the first time only.
  void before_random_op(OpArguments arguments);

  const std::vector<GeneratorState>& states() const { return states_; }
  std::int64_t bytes() const;

 private:
  void remember(const at::Generator& generator);

  std::vector<GeneratorState> states_;
};

// Gives generators the remembered states for a scope, and afterwards those that they had before it.
class RestoredRandomStates {
 public:
  explicit RestoredRandomStates(const RandomStates& states);
  ~RestoredRandomStates();
  RestoredRandomStates(const RestoredRandomStates&) = delete;
  RestoredRandomStates& operator=(const RestoredRandomStates&) = delete;

 private:
  std::vector<GeneratorState> present_;
};

}  // namespace reprise::tape
