// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/generator_states.h"

#include <algorithm>

namespace reprise::tape {

void GeneratorStates::add(OpId op, at::Tensor state) {
  bytes_ += static_cast<std::int64_t>(state.nbytes());
  states_.emplace_back(op, std::move(state));
}

at::Tensor GeneratorStates::before(OpId op) const {
  const auto position =
      std::lower_bound(states_.begin(), states_.end(), op,
                       [](const auto& state, OpId wanted) { return state.first < wanted; });
  return position != states_.end() && position->first == op ? position->second : at::Tensor();
}

std::vector<at::Tensor> GeneratorStates::take() {
  std::vector<at::Tensor> taken;
  taken.reserve(states_.size());
  for (auto& [op, state] : std::exchange(states_, {})) {
    taken.push_back(std::move(state));
  }
  return taken;
}

}  // namespace reprise::tape
