// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/plan_request.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <unistd.h>

#include "reprise/cli/amounts.h"
#include "reprise/cli/errors.h"
#include "reprise/cli/terminal_size.h"
#include "reprise/plan/planners.h"

namespace reprise::cli {
namespace {

// What is done sooner needs no bar.
constexpr double kShownAfter_s = 0.5;
constexpr std::int64_t kStepsPerPlan = 100;

bool has_planner(const std::string& name) {
  const std::vector<plan::PlannerRecord>& records = plan::planner_records();
  return std::any_of(records.begin(), records.end(),
                     [&](const plan::PlannerRecord& record) { return record.name == name; });
}

}  // namespace

std::string default_planner() {
  for (const char* name : {"auto", "search"}) {
    if (has_planner(name)) {
      return name;
    }
  }
  return "knapsack";
}

void require_planner(const std::string& name, const std::string& option) {
  if (!has_planner(name)) {
    std::string known;
    for (const plan::PlannerRecord& record : plan::planner_records()) {
      known += (known.empty() ? "" : ", ") + record.name;
    }
    throw UsageError(option + ": expected one of: " + known + ", got '" + name + "'");
  }
}

plan::PlanRequest plan_request(const OptionValues& values) {
  plan::PlanRequest request;
  request.iterations = values.integer("iterations");
  request.seed = static_cast<std::uint64_t>(values.integer("seed"));
  const std::string limit = values.text("time-limit");
  if (!limit.empty()) {
    const std::optional<double> seconds = parse_seconds(limit);
    if (!seconds || *seconds == 0) {
      throw UsageError("--time-limit: expected a duration above 0 (10s, 500ms, 2min), got '" +
                       limit + "'");
    }
    request.time_limit_s = *seconds;
  }
  return request;
}

PlanWatch::PlanWatch(std::ostream& err)
    : is_terminal_(isatty(STDERR_FILENO) == 1),
      bar_(err, is_terminal_, terminal_width(STDERR_FILENO)) {}

bool PlanWatch::show(const std::string& label, const plan::PlanProgress& progress,
                     std::int64_t done, std::int64_t total) {
  if (is_terminal_ && seconds() >= kShownAfter_s) {
    const double steps = std::clamp(progress.fraction, 0.0, 1.0) * kStepsPerPlan;
    Progress line;
    line.label = label;
    line.done = std::min(done * kStepsPerPlan + static_cast<std::int64_t>(steps),
                         total * kStepsPerPlan - 1);
    line.total = total * kStepsPerPlan;
    line.hides_counts = true;
    if (progress.fits) {
      line.peak_bytes = progress.best_peak_bytes;
    }
    bar_.show(line, seconds());
  }
  return !stop_.is_made();
}

}  // namespace reprise::cli
