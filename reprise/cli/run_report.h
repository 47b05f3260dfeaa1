// SPDX-License-Identifier: Apache-2.0
// What a training run or a comparison of policies found out: the strip, and the "reprise.run" JSON.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace reprise::cli {

// What a MemoryBudget adds to the record of its run.
struct BudgetRecord {
  std::optional<std::int64_t> budget_bytes = {};
  std::optional<std::int64_t> predicted_peak_bytes = {};  // nothing: no plan was followed
  std::optional<double> predicted_overhead = {};
  std::int64_t pass_peak_bytes = 0;  // measured
  double plan_ms = 0;
  std::int64_t departures = 0;
};

// One policy. Units and exact meaning of each field: docs/file_formats.md, "reprise.run".
struct RunRecord {
  std::string policy = {};
  // Checkpointed regions per forward pass; under a budget, uses before which something is replayed.
  std::int64_t segments = 0;
  std::string segment_plan = {};  // for people: "0-2 region, 3-5 plain"
  std::int64_t peak_bytes = 0;
  std::int64_t total_peak_bytes = 0;
  std::optional<std::int64_t> baseline_peak_bytes = {};
  double step_ms = 0;
  double step_cpu_ms = 0;
  std::optional<double> overhead = {};
  std::optional<double> cpu_overhead = {};
  double units_per_s = 0;
  double loss = 0;
  std::optional<double> validation_loss = {};
  std::optional<bool> bit_equal = {};
  std::int64_t reruns = 0;
  std::int64_t recomputed_ops = 0;
  std::string state_crc32 = {};
  std::optional<BudgetRecord> budget = {};
};

struct RunReport {
  std::string version = {};  // of this program
  std::string model = {};
  std::int64_t parameters = 0;
  std::string data = {};
  bool is_synthetic = false;
  std::int64_t seed = 0;
  std::int64_t steps = 0;
  std::int64_t warmup_steps = 0;
  std::int64_t threads = 0;
  std::string unit = {};                            // "tokens"
  std::map<std::string, std::string> options = {};  // all that decide the result, as text
  std::vector<RunRecord> runs = {};
};

// Pretty-printed, with a line feed at the end. A number that is not finite becomes null.
std::string run_json(const RunReport& report);

// The strip: a table of policies with peak, overhead, loss and bit-equality. If there are budgets,
// one more below it: what their plans predicted, and what was measured.
std::string strip_text(const RunReport& report);

}  // namespace reprise::cli
