// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "reprise/cli/json_values.h"
#include "reprise/cli/run_report.h"

namespace reprise::cli {
namespace {

using Json = nlohmann::ordered_json;

// Every run has every field: null without a budget.
void add_budget(const std::optional<BudgetRecord>& budget, Json& json) {
  const BudgetRecord known = budget.value_or(BudgetRecord{});
  const auto if_any = [&](const auto& value) { return budget ? Json(value) : Json(nullptr); };
  json["budget_bytes"] = or_null(known.budget_bytes);
  json["predicted_peak_bytes"] = or_null(known.predicted_peak_bytes);
  json["pass_peak_bytes"] = if_any(known.pass_peak_bytes);
  json["predicted_overhead"] = or_null(known.predicted_overhead);
  json["plan_ms"] = if_any(known.plan_ms);
  json["departures"] = if_any(known.departures);
}

Json json_of(const RunRecord& run) {
  Json json = {{"policy", run.policy},
               {"segments", run.segments},
               {"segment_plan", run.segment_plan},
               {"peak_bytes", run.peak_bytes},
               {"total_peak_bytes", run.total_peak_bytes},
               {"baseline_peak_bytes", or_null(run.baseline_peak_bytes)},
               {"step_ms", run.step_ms},
               {"step_cpu_ms", run.step_cpu_ms},
               {"overhead", or_null(run.overhead)},
               {"cpu_overhead", or_null(run.cpu_overhead)},
               {"units_per_s", run.units_per_s},
               {"loss", run.loss},
               {"validation_loss", or_null(run.validation_loss)},
               {"bit_equal", or_null(run.bit_equal)},
               {"reruns", run.reruns},
               {"recomputed_ops", run.recomputed_ops},
               {"state_crc32", run.state_crc32}};
  add_budget(run.budget, json);
  return json;
}

}  // namespace

std::string run_json(const RunReport& report) {
  Json json = {{"format", "reprise.run"},
               {"version", 1},
               {"reprise", report.version},
               {"model", report.model},
               {"parameters", report.parameters},
               {"data", report.data},
               {"synthetic", report.is_synthetic},
               {"seed", report.seed},
               {"steps", report.steps},
               {"warmup_steps", report.warmup_steps},
               {"threads", report.threads},
               {"unit", report.unit},
               {"options", report.options},
               {"runs", Json::array()}};
  for (const RunRecord& run : report.runs) {
    json["runs"].push_back(json_of(run));
  }
  // File names may be in any encoding.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace reprise::cli
