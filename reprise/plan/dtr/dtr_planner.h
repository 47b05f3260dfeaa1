// SPDX-License-Identifier: Apache-2.0
// The schedule that an online cache arrives at: what a step costs that nobody planned.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reprise/plan/dtr/cache.h"
#include "reprise/plan/planner_record.h"
#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"

namespace reprise::plan {

// Runs the step through a dtr::Cache and notes what it replays before which use. Options:
//   score:          dtr::score_names(), eq by default
//   minimum_bytes:  smaller values are evicted only when nothing larger can be
//   pin:            ops whose results are never evicted
//   most_replays:   per recipe; beyond, the cache is thrashing and replays nothing more
// A schedule keeps a value exactly as long as something reads it, which the cache cannot know. So
// the peak differs from what the cache counted, and a few budgets near the one that was asked for
// are tried. An iteration is one of them.
PlannerRecord dtr_record();

// What one run through the cache replays. Values made by `pinned_ops` are never evicted.
// REQUIRES: `program` has no fault.
struct DtrRun {
  std::vector<Replays> replays;
  std::int64_t overruns = 0;  // slots for which the cache found no room
  bool is_thrashing = false;
  bool is_stopped = false;  // by options.go_on: it replays nothing more
};
DtrRun run_online(const Program& program, const dtr::CacheOptions& options,
                  const std::vector<std::string>& pinned_ops);

}  // namespace reprise::plan
