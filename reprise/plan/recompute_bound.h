// SPDX-License-Identifier: Apache-2.0
// A time that no schedule within a budget can beat.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "reprise/plan/program.h"

namespace reprise::plan {

struct BoundOptions {
  // Places of backward that are tried, evenly spread; 0: as many as the size of the program allows
  // in about a second.
  int most_uses = 0;
  std::optional<std::int64_t> floor_bytes = {};  // the program's, if it is known already
  // Asked before each price; false ends it with the largest bound so far, which is one too.
  std::function<bool()> go_on = {};
};

// Microseconds that every schedule with a peak of at most `budget_bytes` spends on recomputing: the
// largest, over some uses and prices per byte, of a minimum cut minus the price of the budget
// (search/keep_cut.h). It leaves transient bytes and second runs out, so it is weak near the
// smallest feasible budget. Infinite below the program's floor (peak_floor.h), and where the bytes
// that no replay brings back exceed the budget at a use that is tried. REQUIRES: `program` has no
// fault.
double recompute_bound_us(const Program& program, std::int64_t budget_bytes,
                          const BoundOptions& options = {});

}  // namespace reprise::plan
