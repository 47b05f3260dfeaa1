// SPDX-License-Identifier: Apache-2.0
// The way down to the smallest budget that `search` meets. It is one row of schedules per program,
// seed and number of iterations: how far down it is followed depends on the budget, where it leads
// does not. So all who ask, whatever their budget, agree on which budgets are met.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "reprise/plan/candidates.h"
#include "reprise/plan/program.h"

namespace reprise::plan {

struct DescentOptions {
  std::int64_t enough_bytes = 0;  // the first schedule that needs no more ends it
  std::uint64_t seed = 1;
  std::int64_t iterations = 0;            // of the whole search; the descent takes at most a third
  std::int64_t work = 0;                  // the same, as RuinOptions counts it
  std::function<bool()> begin_iteration;  // asked before each; false ends the descent
  std::function<bool()> go_on;            // asked now and then; false ends the descent
};

// Drafts that keep the boundaries of blocks; then the seeds of the floor; then the best four of
// them, and the lowest of all, with lowered peaks. Returns what it has come by, the lowest peak
// first: at least one schedule. Unless it was stopped, the first is above `enough_bytes` only if
// nothing on the whole way is not. `floor_bytes`: the program's (peak_floor.h).
// REQUIRES: the program has a use.
std::vector<JudgedSchedule> descend(const Program& program, std::int64_t floor_bytes,
                                    const DescentOptions& options);

}  // namespace reprise::plan
