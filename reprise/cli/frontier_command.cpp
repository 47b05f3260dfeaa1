// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/frontier_command.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "reprise/cli/amounts.h"
#include "reprise/cli/errors.h"
#include "reprise/cli/frontier_report.h"
#include "reprise/cli/plan_files.h"
#include "reprise/cli/plan_request.h"
#include "reprise/cli/report_output.h"
#include "reprise/plan/peak_floor.h"
#include "reprise/plan/recompute_bound.h"
#include "reprise/plan/shortened.h"
#include "reprise/plan/simulate.h"

namespace reprise::cli {
namespace {

constexpr std::int64_t kMostBudgets = 1000;

// `count` budgets, evenly spaced between the floor and the peak with everything kept, both left
// out; ascending.
std::vector<std::int64_t> spread(std::int64_t count, std::int64_t floor_bytes,
                                 std::int64_t keep_all_peak_bytes) {
  std::vector<std::int64_t> budgets;
  const double range =
      static_cast<double>(std::max<std::int64_t>(0, keep_all_peak_bytes - floor_bytes));
  for (std::int64_t i = 1; i <= count; ++i) {
    budgets.push_back(floor_bytes + static_cast<std::int64_t>(static_cast<double>(i) * range /
                                                              static_cast<double>(count + 1)));
  }
  return budgets;
}

// Nothing if `text` is no count but a list of budgets.
std::optional<std::int64_t> count_of(const std::string& text) {
  std::int64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  return error == std::errc() && stop == end && count >= 1 && count <= kMostBudgets
             ? std::optional(count)
             : std::nullopt;
}

// A small bare number is a count; everything else is a list of budgets.
std::vector<std::int64_t> budgets_of(const std::string& text, const FrontierReport& report) {
  if (const std::optional<std::int64_t> count = count_of(text)) {
    return spread(*count, report.floor_bytes, report.keep_all_peak_bytes);
  }
  std::vector<std::int64_t> budgets;
  for (const std::string& part : split_list(text)) {
    require_countable(part, "--budgets");
    const std::optional<Budget> budget = read_budget(part);
    if (!budget || budget->kind == Budget::Kind::kMinimum) {
      throw UsageError(
          "--budgets: expected a count of budgets, a bare number in [1, 1000], or a list of bytes "
          "(200MB, 1.5GiB) and shares in (0%, 100%] of the peak with everything kept, got " +
          in_quotes(part));
    }
    budgets.push_back(budget_bytes(*budget, report.keep_all_peak_bytes));
  }
  return budgets;
}

std::vector<std::string> planners_of(const std::string& text) {
  if (text != "all") {
    std::vector<std::string> names = split_list(text);
    for (auto name = names.begin(); name != names.end(); ++name) {
      require_planner(*name, "--planners");
      if (std::find(names.begin(), name, *name) != name) {
        throw UsageError("--planners: expected each planner once, got " + in_quotes(*name) +
                         " twice");
      }
    }
    return names;
  }
  std::vector<std::string> names;
  for (const plan::PlannerRecord& record : plan::planner_records()) {
    names.push_back(record.name);
  }
  return names;
}

// One per budget; nothing where none is known, as after Ctrl-C.
std::vector<std::optional<double>> bounds_of(const FrontierReport& report, PlanWatch& watch) {
  const auto count = static_cast<std::int64_t>(report.budgets.size());
  std::vector<std::optional<double>> bounds_us(report.budgets.size());
  plan::BoundOptions options{.floor_bytes = report.floor_bytes};
  for (std::int64_t i = 0; i < count && !watch.is_stopped(); ++i) {
    options.go_on = [&] { return watch.show("bounds", {}, i, count); };
    const auto position = static_cast<std::size_t>(i);
    const double bound_us =
        plan::recompute_bound_us(report.program, report.budgets[position], options);
    if (std::isfinite(bound_us)) {
      bounds_us[position] = bound_us;
    }
  }
  return bounds_us;
}

PlannerFrontier ask(const FrontierReport& report, const std::string& planner,
                    const plan::PlanRequest& request) {
  PlannerFrontier frontier{.planner = planner};
  const plan::PlannerRecord& record = plan::find_planner(planner);
  const std::optional<std::string> why_not =
      record.applies == nullptr ? std::nullopt : record.applies(report.program);
  if (why_not) {
    frontier.why_not = *why_not;
    return frontier;
  }
  frontier.results = plan::plan_frontier(report.program, planner, report.budgets, request);
  for (std::size_t i = 0; i < frontier.results.size(); ++i) {
    plan::PlanResult& result = frontier.results[i];
    result.bound_us = report.bounds_us[i];
    plan::set_gap(report.program, result);
  }
  return frontier;
}

}  // namespace

void run_compare(const OptionValues& values, std::ostream& out, std::ostream& err) {
  const ReportOutput output(values, {"csv", "json"}, {"program"}, out, err);
  const std::vector<std::string> names = planners_of(values.text("planners"));
  std::vector<plan::PlanRequest> requests;
  requests.reserve(names.size());
  for (const std::string& name : names) {
    requests.push_back(plan_request(values, name, names));
  }
  FrontierReport report;
  report.program = load_program(values.text("program"));
  PlanWatch watch(err);
  report.keep_all_peak_bytes = plan::simulate_keep_all(report.program).peak_bytes;
  report.floor_bytes = plan::peak_floor(report.program).bytes;
  report.budgets = budgets_of(values.text("budgets"), report);
  report.bounds_us = bounds_of(report, watch);

  for (std::size_t i = 0; i < names.size() && !watch.is_stopped(); ++i) {
    plan::PlanRequest& request = requests[i];
    request.wants_bound = false;  // the same for all: worked out above
    request.on_progress = [&](const plan::PlanProgress& progress) {
      return watch.show(names[i], progress, static_cast<std::int64_t>(i),
                        static_cast<std::int64_t>(names.size()));
    };
    const double begin_s = watch.seconds();
    report.planners.push_back(ask(report, names[i], request));
    report.planners.back().seconds = watch.seconds() - begin_s;
  }
  watch.finish();
  report.is_stopped = watch.is_stopped();
  if (output.is_asked_for("csv")) {
    output.write("csv", frontier_csv(report));
  }
  output.write("json", frontier_json(report));
  output.text() << frontier_text(report);
  if (report.is_stopped) {
    throw Interrupted("stopped: not every planner was asked for every budget");
  }
}

}  // namespace reprise::cli
