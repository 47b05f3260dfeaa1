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

// The state of a generator now, and back again; neither is seen by frames.
at::Tensor state_of(at::Generator generator);
void set_state(at::Generator generator, const at::Tensor& state);
bool have_equal_bytes(const at::Tensor& a, const at::Tensor& b);

class RandomStates {
 public:
  RandomStates() = default;
  // Passes over the generators that `known` has, which must outlive this.
  explicit RandomStates(const RandomStates* known) : known_(known) {}

  // Remembers generators that may be drawn from unseen; those that were not are forgotten by
  // `forget_unused`.
  void watch(const std::vector<at::Generator>& generators);
  void forget_unused();

  // Remembers the state that a generator has now, or the op's generator; the first time only.
  void remember(const at::Generator& generator);
  void before_random_op(OpArguments arguments);

  const std::vector<GeneratorState>& states() const { return states_; }
  std::int64_t bytes() const;

 private:
  bool knows(const at::Generator& generator) const;

  const RandomStates* known_ = nullptr;
  std::vector<GeneratorState> states_;
};

// Gives generators the remembered states for a scope, and afterwards those that they had before it.
class RestoredRandomStates {
 public:
  // `others` is filled while the scope lasts, and given back as well.
  RestoredRandomStates(const RandomStates& states, const RandomStates& others);
  ~RestoredRandomStates();
  RestoredRandomStates(const RestoredRandomStates&) = delete;
  RestoredRandomStates& operator=(const RestoredRandomStates&) = delete;

 private:
  const RandomStates& others_;
  std::vector<GeneratorState> present_;
};

}  // namespace reprise::tape
