// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/two_level.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "reprise/plan/checks.h"

namespace reprise::plan {
namespace {

constexpr int kMemory = 0;
constexpr int kDisk = 1;

// Writes and reads of each place of the stack that the snapshots of `actions` form.
std::vector<std::int64_t> place_uses(const std::vector<Action>& actions) {
  std::vector<std::int64_t> uses;
  std::size_t held = 0;
  for (const Action& action : actions) {
    if (action.kind == ActionKind::kSnapshot) {
      ++held;
      uses.resize(std::max(uses.size(), held));
      ++uses[held - 1];
    } else if (action.kind == ActionKind::kRestore) {
      ++uses[held - 1];  // revolve restores nothing below the top
    } else if (action.kind == ActionKind::kDiscard) {
      --held;
    }
  }
  return uses;
}

}  // namespace

std::vector<Action> multistage_actions(std::int64_t steps, std::int64_t memory, std::int64_t disk,
                                       Split split) {
  require_at_least("multistage_actions", "memory", memory, 0);
  require_at_least("multistage_actions", "disk", disk, 0);
  require_at_most("multistage_actions", "disk", disk, kMostRevolveSteps - memory);
  const std::vector<std::int64_t> uses = place_uses(revolve_actions(steps, memory + disk, split));
  std::vector<std::size_t> places(uses.size());
  std::iota(places.rbegin(), places.rend(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return uses[a] > uses[b]; });
  std::vector<int> levels(uses.size(), kDisk);
  for (std::size_t i = 0; i < places.size() && static_cast<std::int64_t>(i) < memory; ++i) {
    levels[places[i]] = kMemory;
  }
  std::vector<Action> actions;
  append_revolve(actions,
                 {.end = steps, .snapshots = memory + disk, .levels = levels, .split = split});
  return actions;
}

std::vector<Action> periodic_binomial_actions(std::int64_t steps, std::int64_t period,
                                              std::int64_t memory, Split split) {
  require_at_least("periodic_binomial_actions", "steps", steps, 1);
  require_at_least("periodic_binomial_actions", "period", period, 1);
  require_at_least("periodic_binomial_actions", "memory", memory, 0);
  require_at_most("periodic_binomial_actions", "memory", memory, kMostRevolveSteps - 1);
  std::vector<Action> actions;
  std::vector<std::int64_t> begins;
  for (std::int64_t begin = 0; begin < steps; begin += std::min(period, steps - begin)) {
    begins.push_back(begin);
    actions.push_back(snapshot(begin, kDisk));
    actions.push_back(advance(begin, begin + std::min(period, steps - begin)));
  }
  for (std::int64_t end = steps; !begins.empty(); end = begins.back(), begins.pop_back()) {
    actions.push_back(restore(begins.back(), kDisk));
    append_revolve(actions, {.begin = begins.back(),
                             .end = end,
                             .snapshots = memory + 1,
                             .begin_is_held = true,
                             .levels = {kDisk},
                             .split = split});
  }
  return actions;
}

}  // namespace reprise::plan
