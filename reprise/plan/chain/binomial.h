// SPDX-License-Identifier: Apache-2.0
// Revolve: the fewest forward steps that reverse a chain of equal steps with a given number of
// snapshots, in closed form.
//
// Griewank 1992 (Optimization Methods and Software 1); Griewank & Walther 2000 (ACM TOMS 26,
// Algorithm 799). Counting: `snapshots` includes the initial state, which is written like any
// other. An advance is a step that runs without being recorded; each step is recorded once, just
// before its reverse, and that run is not an advance. All forward evaluations: steps + advances.
#pragma once

#include <cstdint>
#include <vector>

#include "reprise/plan/chain/actions.h"

namespace reprise::plan {

// The longest chain and the most snapshots that the functions below take.
inline constexpr std::int64_t kMostRevolveSteps = std::int64_t{1} << 61;

// n over k; the largest std::int64_t if it is larger. O(60). No table, no overflow.
// Throws std::invalid_argument unless 0 <= k <= n.
std::int64_t binomial(std::int64_t n, std::int64_t k);

// beta(s, r) = binomial(s + r, s): the longest chain that s snapshots reverse while no step is
// advanced more than r times. Saturates like binomial().
// Throws std::invalid_argument if an argument is negative or above kMostRevolveSteps.
std::int64_t longest_chain(std::int64_t snapshots, std::int64_t repeats);

// The r with beta(s, r - 1) < steps <= beta(s, r): how often the unluckiest step is advanced in an
// optimal schedule. O(log(steps)) binomials.
// Throws std::invalid_argument unless steps and snapshots are in [1, kMostRevolveSteps].
std::int64_t revolve_repeats(std::int64_t steps, std::int64_t snapshots);

// t(l, s) = r * l - beta(s + 1, r - 1): the least number of advances. Saturates like binomial().
// Exact; same cost and errors as revolve_repeats().
std::int64_t revolve_advances(std::int64_t steps, std::int64_t snapshots);

// Where the next snapshot goes is often open: a whole range of splits is optimal.
enum class Split {
  kRevolve,  // as Algorithm 799 does: the fewest snapshots are written
  kMaximum,  // the latest of the range, which leaves the fewest steps to the right
};

// How many steps to advance from a state that has just been stored before the next snapshot is
// taken: i such that i + t(i, s) + t(l - i, s - 1) = t(l, s).
// Same cost as revolve_repeats(). Throws std::invalid_argument unless steps > 1, snapshots > 0.
std::int64_t revolve_split(std::int64_t steps, std::int64_t snapshots, Split split);

// The schedule: all snapshots in level 0. O(steps + advances) actions.
// Throws std::invalid_argument unless steps >= 1 and snapshots >= 1.
std::vector<Action> revolve_actions(std::int64_t steps, std::int64_t snapshots,
                                    Split split = Split::kRevolve);

// For planners built on this one: what reverses steps [begin, end) when state `begin` is live, with
// room for `snapshots` states, `begin` included. If `begin_is_held` it is already stored in
// `begin_level`, else it is written there. `level_of(depth)` is the level of the snapshot taken
// while `depth` others of this call are held; depth 0 is `begin`.
struct RevolvePart {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t snapshots = 1;
  bool begin_is_held = false;
  std::vector<int> levels = {};  // by depth; level 0 beyond its end
  Split split = Split::kRevolve;
};
void append_revolve(std::vector<Action>& actions, const RevolvePart& part);

}  // namespace reprise::plan
