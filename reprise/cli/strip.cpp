// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/number_text.h"
#include "reprise/cli/run_report.h"
#include "reprise/cli/text_table.h"

namespace reprise::cli {
namespace {

std::string or_dash(const std::optional<double>& ratio) {
  return ratio ? overhead_text(*ratio) : "-";
}

std::string step_text(const RunRecord& run) {
  return run.step_ms > 0 ? fixed_text(run.step_ms, 2) + " ms" : "not timed";
}

std::string verdict(const std::optional<bool>& bit_equal) {
  if (!bit_equal) {
    return "-";
  }
  return *bit_equal ? "yes" : "NO";
}

std::string or_dash(const std::optional<std::int64_t>& bytes) {
  return bytes ? bytes_text(*bytes) : "-";
}

std::string budgets_text(const RunReport& report) {
  std::vector<std::vector<std::string>> rows;
  std::string unplanned;
  for (const RunRecord& run : report.runs) {
    if (!run.budget) {
      continue;
    }
    const BudgetRecord& budget = *run.budget;
    rows.push_back({run.policy, or_dash(budget.budget_bytes), or_dash(budget.predicted_peak_bytes),
                    bytes_text(budget.pass_peak_bytes), or_dash(budget.predicted_overhead),
                    fixed_text(budget.plan_ms, 0) + " ms", std::to_string(budget.departures)});
    if (!budget.predicted_peak_bytes) {
      unplanned.append(run.policy).append(": ").append(run.segment_plan).append("\n");
    }
  }
  if (rows.empty()) {
    return "";
  }
  return "\n" +
         table_text({{"forward and backward", false},
                     {"limit"},
                     {"peak predicted"},
                     {"measured"},
                     {"overhead predicted"},
                     {"planning"},
                     {"departures"}},
                    rows) +
         unplanned;
}

}  // namespace

std::string strip_text(const RunReport& report) {
  std::vector<std::vector<std::string>> rows;
  for (const RunRecord& run : report.runs) {
    rows.push_back({run.policy, std::to_string(run.segments), bytes_text(run.peak_bytes),
                    share_text(run.peak_bytes, run.baseline_peak_bytes.value_or(0)), step_text(run),
                    or_dash(run.overhead), or_dash(run.cpu_overhead), fixed_text(run.loss, 6),
                    verdict(run.bit_equal)});
  }
  return table_text({{"policy", false},
                     {"segments"},
                     {"peak"},
                     {"of plain"},
                     {"step"},
                     {"overhead"},
                     {"in CPU time"},
                     {"loss"},
                     {"bit-equal", false}},
                    rows) +
         budgets_text(report);
}

}  // namespace reprise::cli
