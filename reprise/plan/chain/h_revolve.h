// SPDX-License-Identifier: Apache-2.0
// H-Revolve: the fastest reversal of a chain of equal steps over several storage levels of given
// capacities, where every write and read takes time and nothing overlaps.
//
// Herrmann & Pallez 2020 (ACM TOMS 46, H-Revolve). Optimal among schedules that nest the levels:
// what is stored while a state of a level is held lies in the same level or a faster one.
// Time: advances * forward_us + steps * turn_us + the levels' writes and reads.
#pragma once

#include <cstdint>
#include <vector>

#include "reprise/plan/chain/actions.h"

namespace reprise::plan {

// What one step takes.
struct StepCost {
  double forward_us = 1;  // an advance
  double turn_us = 1;     // its recording run and its reverse together
};

struct StorageLevel {
  std::int64_t capacity = 1;  // states held at once
  double write_us = 0;
  double read_us = 0;
};

struct TimedActions {
  double time_us = 0;
  std::vector<Action> actions;
};

// `levels` from the fastest to the slowest. Exact in its class by the recurrences of the paper,
// with one difference: the right part of a split may be a single step, which needs no snapshot;
// that is never slower. O(levels * steps^2 * capacity) time, O(levels * steps * capacity) memory.
// Throws std::invalid_argument unless steps >= 1, there is a level, the capacities are >= 0 and not
// all 0, and every time is finite and >= 0.
TimedActions plan_h_revolve(std::int64_t steps, const std::vector<StorageLevel>& levels,
                            const StepCost& cost = {});

}  // namespace reprise::plan
