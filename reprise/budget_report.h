// SPDX-License-Identifier: Apache-2.0
// What a MemoryBudget did: predicted against measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reprise/plan/value_fates.h"

namespace reprise {

// A value that forward made and backward needed, and what the plan did with it.
struct ValueReport {
  std::int64_t bytes = 0;
  std::vector<std::int64_t> shape = {};
  std::string dtype = {};
  std::string op = {};     // that makes it
  std::string label = {};  // of the part of the model
  plan::ValueFate::Action action = plan::ValueFate::Action::kKept;
  std::string why = {};
};

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
  bool is_above_overhead = false;  // that was asked for: the budget allows no less
  std::int64_t replayed_ops = 0;
  // Measured, CPU time of the thread: of the replays, and of the pass with them.
  double recompute_us = 0;
  double pass_us = 0;
  std::int64_t evictions = 0;  // without a plan
  // Values that stay whatever the plan: the program holds them, or nothing can make them again.
  std::int64_t held_bytes = 0;
  std::int64_t not_replayable_bytes = 0;
  // Kept for replays: random states, and copies of outside tensors that an op was about to write.
  std::int64_t replay_state_bytes = 0;
  bool has_departed = false;  // from the plan
  // Without a plan it made values again and again, until it gave its limit up
  // (most_replays_per_op).
  bool is_thrashing = false;
};

struct BudgetReport {
  std::int64_t steps = 0;
  std::int64_t passes = 0;
  std::int64_t planned_passes = 0;
  std::int64_t departures = 0;
  std::int64_t overruns = 0;  // passes whose peak was above their limit
  std::int64_t thrashed = 0;  // passes that were thrashing
  // Times that a measured peak was more than 2 % or 1 MiB above the predicted one, and the pass was
  // planned anew for less.
  std::int64_t corrections = 0;
  std::int64_t plans = 0;         // made
  double plan_ms = 0;             // all of them took
  std::string unplanned_because;  // of the last pass that cannot be planned
  PassReport last = {};
  std::vector<ValueReport> values;  // of the last pass that has a plan, in the order of forward
  std::string text() const;
  std::string values_text() const;  // a line for each
};

}  // namespace reprise
