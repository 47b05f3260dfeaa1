// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/random_states.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "reprise/tape/frame.h"

namespace reprise::tape {
at::Tensor state_of(at::Generator generator) {
  const UnseenOps unseen;
  const std::scoped_lock lock(generator.mutex());
  return generator.get_state();
}

void set_state(at::Generator generator, const at::Tensor& state) {
  const UnseenOps unseen;
  const std::scoped_lock lock(generator.mutex());
  generator.set_state(state);
}

// Generator states are contiguous byte tensors on the CPU, on every device.
bool have_equal_bytes(const at::Tensor& a, const at::Tensor& b) {
  return a.nbytes() == b.nbytes() &&
         std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0;
}

void RandomStates::watch(const std::vector<at::Generator>& generators) {
  for (const at::Generator& generator : generators) {
    remember(generator);
  }
}

void RandomStates::forget_unused() {
  std::erase_if(states_, [](const GeneratorState& entry) {
    return have_equal_bytes(entry.state, state_of(entry.generator));
  });
}

void RandomStates::before_random_op(OpArguments arguments) { remember(generator_of(arguments)); }

std::int64_t RandomStates::bytes() const {
  std::int64_t sum = 0;
  for (const GeneratorState& entry : states_) {
    sum += static_cast<std::int64_t>(entry.state.nbytes());
  }
  return sum;
}

void RandomStates::remember(const at::Generator& generator) {
  if (generator.defined() && !knows(generator)) {
    states_.push_back({generator, state_of(generator)});
  }
}

bool RandomStates::knows(const at::Generator& generator) const {
  return (known_ != nullptr && known_->knows(generator)) ||
         std::any_of(states_.begin(), states_.end(), [&](const GeneratorState& entry) {
           return entry.generator.unsafeGetGeneratorImpl() == generator.unsafeGetGeneratorImpl();
         });
}

RestoredRandomStates::RestoredRandomStates(const RandomStates& states, const RandomStates& others)
    : others_(others) {
  present_.reserve(states.states().size());
  for (const GeneratorState& entry : states.states()) {
    present_.push_back({entry.generator, state_of(entry.generator)});
    set_state(entry.generator, entry.state);
  }
}

RestoredRandomStates::~RestoredRandomStates() {
  for (const GeneratorState& entry : present_) {
    set_state(entry.generator, entry.state);
  }
  for (const GeneratorState& entry : others_.states()) {
    set_state(entry.generator, entry.state);
  }
}

}  // namespace reprise::tape
