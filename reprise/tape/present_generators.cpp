// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/present_generators.h"

#include <algorithm>
#include <mutex>

#include <ATen/CPUGeneratorImpl.h>

#include "reprise/tape/random_states.h"

namespace reprise::tape {
namespace {

// Null for generators of other devices, and of other kinds.
at::CPUGeneratorImpl* cpu_generator(const at::Generator& generator) {
  return dynamic_cast<at::CPUGeneratorImpl*>(generator.unsafeGetGeneratorImpl());
}

void copy_state(at::CPUGeneratorImpl& from, at::CPUGeneratorImpl& to) {
  const std::lock_guard lock(to.mutex_);
  to.set_engine(from.engine());
  to.set_next_float_normal_sample(from.next_float_normal_sample());
  to.set_next_double_normal_sample(from.next_double_normal_sample());
}

}  // namespace

void PresentGenerators::remember(const at::Generator& generator) {
  const bool is_known = std::any_of(present_.begin(), present_.end(), [&](const Present& each) {
    return each.generator == generator;
  });
  if (is_known) {
    return;
  }
  if (at::CPUGeneratorImpl* const present = cpu_generator(generator)) {
    const std::lock_guard lock(present->mutex_);
    present_.push_back({generator, generator.clone(), {}});
  } else {
    present_.push_back({generator, {}, state_of(generator)});
  }
}

PresentGenerators::~PresentGenerators() {
  for (const Present& each : present_) {
    if (each.copy.defined()) {
      copy_state(*cpu_generator(each.copy), *cpu_generator(each.generator));
    } else {
      set_state(each.generator, each.state);
    }
  }
}

}  // namespace reprise::tape
