// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/frontier_report.h"

#include <algorithm>
#include <limits>
#include <optional>

#include <nlohmann/json.hpp>

#include "reprise/cli/csv_text.h"
#include "reprise/cli/json_values.h"
#include "reprise/cli/number_text.h"
#include "reprise/cli/printable_text.h"
#include "reprise/cli/program_text.h"
#include "reprise/cli/text_table.h"
#include "reprise/plan/hash.h"

namespace reprise::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kBudgetsInATable = 10;

// Without its unit, which the title of the table tells.
std::string percent_text(const std::optional<double>& ratio) {
  return ratio ? fixed_text(100 * *ratio, 1) : "-";
}

bool is_stopped(const plan::PlanResult& result) {
  return result.is_cancelled || result.is_out_of_time;
}

bool is_fastest(const plan::PlanResult& result) { return result.schedule && result.is_proved; }

// Whether any planner has such a result.
bool has(const FrontierReport& report, bool (*is_such)(const plan::PlanResult&)) {
  return std::any_of(
      report.planners.begin(), report.planners.end(), [&](const PlannerFrontier& frontier) {
        return std::any_of(frontier.results.begin(), frontier.results.end(), is_such);
      });
}

// The overhead, and how far to rely on it; a blank where others have a mark.
std::string overhead_cell(const plan::Program& program, const plan::PlanResult& result,
                          bool has_marks) {
  const std::string number =
      percent_text(result.schedule ? overhead_of(program, result.recompute_us) : std::nullopt);
  const char* const mark = is_fastest(result) ? "*" : is_stopped(result) ? "!" : " ";
  return has_marks ? number + mark : number;
}

// The lowest peak of all that the planner found.
std::int64_t least_bytes(const PlannerFrontier& frontier) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const plan::PlanResult& result : frontier.results) {
    if (result.schedule) {
      least = std::min(least, result.peak_bytes);
    } else if (result.minimum) {
      least = std::min(least, result.minimum->budget_bytes);
    }
  }
  return least;
}

std::optional<double> largest_gap(const PlannerFrontier& frontier) {
  std::optional<double> largest;
  for (const plan::PlanResult& result : frontier.results) {
    if (result.gap) {
      largest = std::max(largest.value_or(0), *result.gap);
    }
  }
  return largest;
}

std::vector<std::string> bound_row(const FrontierReport& report, std::size_t begin, std::size_t end,
                                   bool has_marks) {
  std::vector<std::string> row = {"(bound)"};
  for (std::size_t i = begin; i < end; ++i) {
    const std::optional<double>& bound_us = report.bounds_us[i];
    row.push_back(percent_text(bound_us ? overhead_of(report.program, *bound_us) : std::nullopt) +
                  (has_marks ? " " : ""));
  }
  row.insert(row.end(), {"-", bytes_text(report.floor_bytes), "-"});
  return row;
}

std::vector<std::string> planner_row(const FrontierReport& report, const PlannerFrontier& frontier,
                                     std::size_t begin, std::size_t end, bool has_marks) {
  std::vector<std::string> row = {frontier.planner};
  for (std::size_t i = begin; i < end; ++i) {
    row.push_back(overhead_cell(report.program, frontier.results[i], has_marks));
  }
  const std::int64_t least = least_bytes(frontier);
  const bool is_any = least < std::numeric_limits<std::int64_t>::max();
  row.insert(row.end(), {percent_text(largest_gap(frontier)), is_any ? bytes_text(least) : "none",
                         duration_text(frontier.seconds)});
  return row;
}

// One row per planner, one column per budget in [begin, end).
std::string budgets_table(const FrontierReport& report, std::size_t begin, std::size_t end) {
  std::vector<TextColumn> columns = {{"planner", false}};
  for (std::size_t i = begin; i < end; ++i) {
    columns.push_back({share_text(report.budgets[i], report.keep_all_peak_bytes)});
  }
  columns.insert(columns.end(), {{"gap up to"}, {"least peak"}, {"time"}});
  const bool has_marks = has(report, is_fastest) || has(report, is_stopped);
  std::vector<std::vector<std::string>> rows = {bound_row(report, begin, end, has_marks)};
  for (const PlannerFrontier& frontier : report.planners) {
    if (!frontier.results.empty()) {
      rows.push_back(planner_row(report, frontier, begin, end, has_marks));
    }
  }
  return table_text(columns, rows);
}

Json json_of(const plan::Program& program, const plan::PlanResult& result) {
  const bool fits = result.schedule.has_value();
  return {
      {"budget_bytes", result.budget_bytes},
      {"fits", fits},
      {"peak_bytes", fits ? Json(result.peak_bytes) : Json(nullptr)},
      {"recompute_us", fits ? Json(result.recompute_us) : Json(nullptr)},
      {"overhead", fits ? or_null(overhead_of(program, result.recompute_us)) : Json(nullptr)},
      {"bound_us", or_null(result.bound_us)},
      {"gap", or_null(result.gap)},
      {"minimum_budget_bytes", result.minimum ? Json(result.minimum->budget_bytes) : Json(nullptr)},
      {"proved", result.is_proved},
      {"cancelled", result.is_cancelled},
      {"out_of_time", result.is_out_of_time},
      {"note", result.note}};
}

}  // namespace

std::string frontier_text(const FrontierReport& report) {
  std::string text =
      program_text(report.program) + "\npeak " + bytes_text(report.keep_all_peak_bytes) +
      " with everything kept, no schedule needs less than " + bytes_text(report.floor_bytes) +
      "\n\nOverhead in % of the step, by budget in % of that peak; -: none that fits" +
      (report.program.step_us > 0 ? "" : ", or a step without a time") +
      (has(report, is_fastest) ? "; *: none is faster" : "") +
      (has(report, is_stopped) ? "; !: stopped early" : "") + "\n";
  for (std::size_t begin = 0; begin < report.budgets.size(); begin += kBudgetsInATable) {
    text += (begin == 0 ? "" : "\n") +
            budgets_table(report, begin, std::min(begin + kBudgetsInATable, report.budgets.size()));
  }
  std::string others;
  for (const PlannerFrontier& frontier : report.planners) {
    if (frontier.results.empty()) {
      others += frontier.planner + " does not apply: " + printable_line(frontier.why_not) + "\n";
    }
  }
  return text + (others.empty() ? "" : "\n" + others);
}

std::string frontier_json(const FrontierReport& report) {
  Json json = {{"format", "reprise.frontier"},
               {"version", 1},
               {"program",
                {{"name", report.program.name},
                 {"hash", plan::program_hash(report.program)},
                 {"step_us", report.program.step_us}}},
               {"keep_all_peak_bytes", report.keep_all_peak_bytes},
               {"floor_bytes", report.floor_bytes},
               {"budgets", report.budgets},
               {"stopped", report.is_stopped},
               {"planners", Json::array()}};
  for (const PlannerFrontier& frontier : report.planners) {
    const bool applies = !frontier.results.empty();
    Json one = {{"planner", frontier.planner},
                {"applies", applies},
                {"why_not", applies ? Json(nullptr) : Json(frontier.why_not)},
                {"seconds", applies ? Json(frontier.seconds) : Json(nullptr)},
                {"results", Json::array()}};
    for (const plan::PlanResult& result : frontier.results) {
      one["results"].push_back(json_of(report.program, result));
    }
    json["planners"].push_back(std::move(one));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string frontier_csv(const FrontierReport& report) {
  std::string text = csv_line({"planner", "budget_bytes", "fits", "peak_bytes", "recompute_us",
                               "overhead", "bound_us", "gap", "minimum_budget_bytes",
                               "planner_seconds", "proved", "cancelled", "out_of_time", "note"});
  // Numbers as JSON writes them: they give back the same double.
  const auto cell = [](const Json& number) { return number.is_null() ? "" : number.dump(); };
  for (const PlannerFrontier& frontier : report.planners) {
    for (const plan::PlanResult& result : frontier.results) {
      const Json json = json_of(report.program, result);
      text +=
          csv_line({frontier.planner, cell(json["budget_bytes"]), cell(json["fits"]),
                    cell(json["peak_bytes"]), cell(json["recompute_us"]), cell(json["overhead"]),
                    cell(json["bound_us"]), cell(json["gap"]), cell(json["minimum_budget_bytes"]),
                    cell(Json(frontier.seconds)), cell(json["proved"]), cell(json["cancelled"]),
                    cell(json["out_of_time"]), result.note});
    }
  }
  return text;
}

}  // namespace reprise::cli
