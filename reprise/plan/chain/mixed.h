// SPDX-License-Identifier: Apache-2.0
// Mixed checkpointing: room for a few things of equal size, each either a state, from which steps
// run again, or the record of one step, which is reversed from it without running again.
//
// Maddison 2024, "Step-based checkpointing with high-level algorithmic differentiation". Counting:
// all forward evaluations, the recording ones included; `capacity` is how many states and records
// are held at once, the initial state among them. A record is no state: nothing restarts from it.
#pragma once

#include <cstdint>
#include <vector>

#include "reprise/plan/chain/actions.h"

namespace reprise::plan {

// The least number of forward steps that reverse the chain. Exact by
//   m(n, s) = min( 1 + m(n - 1, s - 1), min over 2 <= i < n of i + m(i, s) + m(n - i, s - 1) ).
// O(steps^2 * capacity) time, O(steps * capacity) memory.
// Throws std::invalid_argument unless steps >= 1 and capacity >= 1.
std::int64_t mixed_forward_steps(std::int64_t steps, std::int64_t capacity);

// A schedule that takes no more; states and records in level 0. Same cost and errors.
std::vector<Action> mixed_actions(std::int64_t steps, std::int64_t capacity);

}  // namespace reprise::plan
