// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/generator_states.h"

#include <algorithm>

#include "reprise/tape/random_states.h"

namespace reprise::tape {

void GeneratorStates::add(OpId op, at::Tensor state) {
  if (!states_.empty() && have_equal_bytes(states_.back().second, state)) {
    state = states_.back().second;
  } else {
    bytes_ += static_cast<std::int64_t>(state.nbytes());
    most_bytes_ = std::max(most_bytes_, bytes_);
  }
  states_.emplace_back(op, std::move(state));
}

bool GeneratorStates::forget_from(OpId first) {
  const std::size_t before = states_.size();
  while (!states_.empty() && states_.back().first >= first) {
    const at::Tensor state = std::move(states_.back().second);
    states_.pop_back();
    if (states_.empty() || !states_.back().second.is_same(state)) {
      bytes_ -= static_cast<std::int64_t>(state.nbytes());
    }
  }
  return states_.size() < before;
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
