// SPDX-License-Identifier: Apache-2.0
// What a MemoryBudget did: predicted against measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reprise {

// One pass: a forward with its backward. Bytes are above those that were live when it began.
struct PassReport {
  std::string plan;  // how it was decided what to keep: "unplanned" or the planner's name
  std::int64_t limit_bytes = 0;           // 0: none
  std::int64_t peak_bytes = 0;            // measured
  std::int64_t total_peak_bytes = 0;      // with what was live when it began
  std::int64_t predicted_peak_bytes = 0;  // 0: not planned, as in the next three
  std::int64_t keep_all_peak_bytes = 0;
  double predicted_recompute_us = 0;
  double predicted_overhead = 0;
  std::int64_t replayed_ops = 0;
  std::int64_t evictions = 0;  // without a plan
  bool has_departed = false;   // from the plan
};

struct BudgetReport {
  std::int64_t steps = 0;
  std::int64_t passes = 0;
  std::int64_t planned_passes = 0;
  std::int64_t departures = 0;
  std::int64_t overruns = 0;  // passes whose peak was above their limit
  // Times that a measured peak was more than 2 % and 1 MiB above the predicted one, and the pass
  // was planned anew for less.
  std::int64_t corrections = 0;
  std::int64_t plans = 0;         // made
  double plan_ms = 0;             // all of them took
  std::string unplanned_because;  // of the last pass that cannot be planned
  PassReport last = {};
  std::string text() const;
};

}  // namespace reprise
