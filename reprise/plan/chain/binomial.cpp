// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/binomial.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "reprise/plan/checks.h"

namespace reprise::plan {
namespace {

// Wide enough for the product of any two arguments within kMostRevolveSteps.
__extension__ using Wide = __int128;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::int64_t saturated(Wide value) {
  return value > kMost ? kMost : static_cast<std::int64_t>(value);
}

// longest_chain() of a recursion that may step below zero, where no chain can be reversed.
std::int64_t beta(std::int64_t snapshots, std::int64_t repeats) {
  return snapshots < 0 || repeats < 0 ? 0 : longest_chain(snapshots, repeats);
}

void require_chain(const char* place, std::int64_t steps, std::int64_t snapshots) {
  require_at_least(place, "steps", steps, 1);
  require_at_most(place, "steps", steps, kMostRevolveSteps);
  require_at_least(place, "snapshots", snapshots, 1);
  require_at_most(place, "snapshots", snapshots, kMostRevolveSteps);
}

int level_at(const RevolvePart& part, std::int64_t depth) {
  return depth < std::ssize(part.levels) ? part.levels[static_cast<std::size_t>(depth)] : 0;
}

void append_turn(std::vector<Action>& actions, std::int64_t step) {
  actions.push_back(record(step));
  actions.push_back(reverse(step));
}

// Reverses [begin, end); `depth` snapshots of other parts are held. Recurses once per snapshot that
// is held at the same time, so never deeper than the smaller of steps and snapshots.
void append_part(std::vector<Action>& actions, const RevolvePart& part, std::int64_t begin,
                 std::int64_t end, std::int64_t depth, bool is_held) {
  if (end - begin == 1 && !is_held) {
    append_turn(actions, begin);
    return;
  }
  const int level = level_at(part, depth);
  if (!is_held) {
    actions.push_back(snapshot(begin, level));
  }
  while (end - begin > 1) {
    const std::int64_t middle =
        begin + revolve_split(end - begin, part.snapshots - depth, part.split);
    actions.push_back(advance(begin, middle));
    append_part(actions, part, middle, end, depth + 1, false);
    actions.push_back(restore(begin, level));
    end = middle;
  }
  actions.push_back(discard(begin, level));
  append_turn(actions, begin);
}

}  // namespace

std::int64_t binomial(std::int64_t n, std::int64_t k) {
  require_at_least("binomial", "k", k, 0);
  require_at_least("binomial", "n", n, k);
  k = std::min(k, n - k);
  // Each partial product is itself a binomial, growing: once too large, always too large. That
  // takes at most 62 rounds, because the factors are then at least 2.
  std::int64_t result = 1;
  for (std::int64_t i = 1; i <= k && result < kMost; ++i) {
    result = saturated(static_cast<Wide>(result) * (n - k + i) / i);
  }
  return result;
}

std::int64_t longest_chain(std::int64_t snapshots, std::int64_t repeats) {
  require_at_least("longest_chain", "snapshots", snapshots, 0);
  require_at_most("longest_chain", "snapshots", snapshots, kMostRevolveSteps);
  require_at_least("longest_chain", "repeats", repeats, 0);
  require_at_most("longest_chain", "repeats", repeats, kMostRevolveSteps);
  return binomial(snapshots + repeats, snapshots);
}

std::int64_t revolve_repeats(std::int64_t steps, std::int64_t snapshots) {
  require_chain("revolve_repeats", steps, snapshots);
  // beta(s, r) > r, so `steps` repeats are always enough.
  std::int64_t too_few = -1;
  std::int64_t enough = 1;
  while (longest_chain(snapshots, enough) < steps) {
    too_few = enough;
    enough *= 2;
  }
  while (enough - too_few > 1) {
    const std::int64_t middle = too_few + (enough - too_few) / 2;
    (longest_chain(snapshots, middle) < steps ? too_few : enough) = middle;
  }
  return enough;
}

std::int64_t revolve_advances(std::int64_t steps, std::int64_t snapshots) {
  const std::int64_t s = std::min(snapshots, std::max<std::int64_t>(steps - 1, 1));
  const std::int64_t r = revolve_repeats(steps, s);
  if (r == 0) {
    return 0;
  }
  // beta(s + 1, r - 1) from beta(s, r - 1) < steps: the former alone may need more than 64 bits.
  const Wide reached = static_cast<Wide>(longest_chain(s, r - 1)) * (s + r) / (s + 1);
  return saturated(static_cast<Wide>(r) * steps - reached);
}

std::int64_t revolve_split(std::int64_t steps, std::int64_t snapshots, Split split) {
  require_chain("revolve_split", steps, snapshots);
  require_at_least("revolve_split", "steps", steps, 2);
  if (snapshots >= steps - 1) {
    return 1;
  }
  if (snapshots == 1) {
    return steps - 1;
  }
  const std::int64_t s = snapshots;
  const std::int64_t r = revolve_repeats(steps, s);
  // An advance of i is optimal as long as neither part needs more repeats than its side of
  // beta(s, r) = beta(s, r - 1) + beta(s - 1, r) allows: the left one r - 1, the right one r.
  if (split == Split::kMaximum) {
    return std::min(beta(s, r - 1), steps - beta(s - 1, r - 1));
  }
  const std::int64_t right = beta(s - 1, r - 1) + beta(s - 2, r - 1);
  if (steps <= beta(s, r - 2) + right) {
    return beta(s, r - 2);
  }
  return std::min(beta(s, r - 1), steps - right);
}

std::vector<Action> revolve_actions(std::int64_t steps, std::int64_t snapshots, Split split) {
  require_chain("revolve_actions", steps, snapshots);
  std::vector<Action> actions;
  append_revolve(actions, {.end = steps, .snapshots = snapshots, .split = split});
  return actions;
}

void append_revolve(std::vector<Action>& actions, const RevolvePart& part) {
  require_chain("append_revolve", part.end - part.begin, part.snapshots);
  append_part(actions, part, part.begin, part.end, 0, part.begin_is_held);
}

}  // namespace reprise::plan
