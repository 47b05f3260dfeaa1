// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/number_text.h"
#include "reprise/cli/run_report.h"
#include "reprise/cli/text_table.h"

namespace reprise::cli {
namespace {

std::string share_text(const RunRecord& run) {
  if (!run.baseline_peak_bytes || *run.baseline_peak_bytes <= 0) {
    return "-";
  }
  return fixed_text(100 * static_cast<double>(run.peak_bytes) /
                        static_cast<double>(*run.baseline_peak_bytes),
                    1) +
         " %";
}

std::string or_dash(const std::optional<double>& ratio) {
  return ratio ? overhead_text(*ratio) : "-";
}

std::string verdict(const std::optional<bool>& bit_equal) {
  if (!bit_equal) {
    return "-";
  }
  return *bit_equal ? "yes" : "NO";
}

}  // namespace

std::string strip_text(const RunReport& report) {
  std::vector<std::vector<std::string>> rows;
  for (const RunRecord& run : report.runs) {
    rows.push_back({run.policy, std::to_string(run.segments), bytes_text(run.peak_bytes),
                    share_text(run), fixed_text(run.step_ms, 2) + " ms", or_dash(run.overhead),
                    or_dash(run.cpu_overhead), fixed_text(run.loss, 6), verdict(run.bit_equal)});
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
                    rows);
}

}  // namespace reprise::cli
