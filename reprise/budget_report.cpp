// SPDX-License-Identifier: Apache-2.0
#include "reprise/budget_report.h"

#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

#include "reprise/plan/format_bytes.h"

namespace reprise {
namespace {

// "[64, 256]".
std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (const std::int64_t size : shape) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  }
  return text + "]";
}

}  // namespace

std::string BudgetReport::text() const {
  std::ostringstream out;
  out << "passes     " << passes << " in " << steps << " steps, " << planned_passes << " by plan, "
      << departures << " departed from it\n";
  if (last.limit_bytes != 0) {
    out << "limit      " << format_bytes(last.limit_bytes) << " above the start of the pass\n";
  }
  out << "peak       " << format_bytes(last.peak_bytes) << " measured";
  if (last.predicted_peak_bytes > 0) {
    out << ", " << format_bytes(last.predicted_peak_bytes) << " predicted, "
        << format_bytes(last.keep_all_peak_bytes) << " with everything kept";
  }
  out << std::fixed << std::setprecision(1) << "\nrecompute  " << last.replayed_ops << " ops in "
      << last.recompute_us / 1e3 << " of " << last.pass_us / 1e3 << " ms";
  if (last.predicted_peak_bytes > 0) {
    out << ", predicted " << last.predicted_recompute_us / 1e3 << " ms (+"
        << 100 * last.predicted_overhead << " % of the plain step)"
        << (last.is_above_overhead ? ", more than asked for: the budget allows no less" : "");
  }
  if (last.is_thrashing) {
    out << "\nthrashing  the same values again and again, until nothing more was dropped for room; "
        << thrashed << " of " << passes << " passes";
  }
  if (last.held_bytes + last.not_replayable_bytes + last.replay_state_bytes > 0) {
    out << "\nkept       " << format_bytes(last.held_bytes) << " that the program holds, "
        << format_bytes(last.not_replayable_bytes) << " that nothing makes again, "
        << format_bytes(last.replay_state_bytes) << " of random states and copies";
  }
  out << "\nplan       " << last.plan;
  if (!unplanned_because.empty()) {
    out << "; unplanned: " << unplanned_because;
  }
  out << '\n';
  return out.str();
}

std::string BudgetReport::values_text() const {
  std::ostringstream out;
  for (const ValueReport& value : values) {
    out << std::setw(12) << value.bytes << " bytes  " << std::left << std::setw(10)
        << plan::action_text(value.action) << std::right << "  " << value.op << "  "
        << (value.dtype.empty() ? "" : shape_text(value.shape) + " " + value.dtype + "  ")
        << (value.label.empty() ? "" : value.label + "  ") << "(" << value.why << ")\n";
  }
  return out.str();
}

}  // namespace reprise
