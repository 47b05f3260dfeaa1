// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/frontier_report.h"

#include <optional>

#include <nlohmann/json.hpp>

#include "reprise/cli/csv_text.h"
#include "reprise/cli/number_text.h"
#include "reprise/cli/printable_text.h"
#include "reprise/cli/program_text.h"
#include "reprise/cli/text_table.h"
#include "reprise/plan/hash.h"

namespace reprise::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string share_text(std::int64_t part, std::int64_t whole) {
  return whole <= 0
             ? "-"
             : fixed_text(100 * static_cast<double>(part) / static_cast<double>(whole), 1) + " %";
}

std::string gap_text(const std::optional<double>& gap) {
  return gap ? fixed_text(100 * *gap, 1) : "-";
}

std::vector<std::string> row(const FrontierReport& report, const PlannerFrontier& frontier,
                             std::size_t budget) {
  const plan::PlanResult& result = frontier.results[budget];
  const std::string name = budget == 0 ? frontier.planner : "";
  const std::string time = budget == 0 ? duration_text(frontier.seconds) : "";
  const std::string limit = bytes_text(result.budget_bytes);
  const std::string share = share_text(result.budget_bytes, report.keep_all_peak_bytes);
  if (!result.schedule) {
    const std::string least =
        result.minimum ? "needs " + bytes_text(result.minimum->budget_bytes) : "none";
    return {name, limit, share, least, "-", "-", time};
  }
  return {name,
          limit,
          share,
          bytes_text(result.peak_bytes),
          overhead_text(result.overhead),
          gap_text(result.gap),
          time};
}

Json or_null(const std::optional<double>& number) { return number ? Json(*number) : Json(nullptr); }

Json json_of(const plan::PlanResult& result) {
  const bool fits = result.schedule.has_value();
  return {{"budget_bytes", result.budget_bytes},
          {"fits", fits},
          {"peak_bytes", fits ? Json(result.peak_bytes) : Json(nullptr)},
          {"recompute_us", fits ? Json(result.recompute_us) : Json(nullptr)},
          {"overhead", fits ? Json(result.overhead) : Json(nullptr)},
          {"bound_us", or_null(result.bound_us)},
          {"gap", or_null(result.gap)},
          {"minimum_budget_bytes",
           result.minimum ? Json(result.minimum->budget_bytes) : Json(nullptr)}};
}

}  // namespace

std::string frontier_text(const FrontierReport& report) {
  std::vector<std::vector<std::string>> rows;
  std::string others;
  for (const PlannerFrontier& frontier : report.planners) {
    if (frontier.results.empty()) {
      others += frontier.planner + " does not apply: " + printable_text(frontier.why_not) + "\n";
    }
    for (std::size_t budget = 0; budget < frontier.results.size(); ++budget) {
      rows.push_back(row(report, frontier, budget));
    }
  }
  return program_text(report.program) + "\npeak " + bytes_text(report.keep_all_peak_bytes) +
         " with everything kept, no schedule needs less than " + bytes_text(report.floor_bytes) +
         "\n\n" +
         table_text({{"planner", false},
                     {"budget"},
                     {"of plain"},
                     {"peak"},
                     {"overhead"},
                     {"gap, points"},
                     {"time"}},
                    rows) +
         (others.empty() ? "" : "\n" + others);
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
               {"planners", Json::array()}};
  for (const PlannerFrontier& frontier : report.planners) {
    const bool applies = !frontier.results.empty();
    Json one = {{"planner", frontier.planner},
                {"applies", applies},
                {"why_not", applies ? Json(nullptr) : Json(frontier.why_not)},
                {"seconds", applies ? Json(frontier.seconds) : Json(nullptr)},
                {"results", Json::array()}};
    for (const plan::PlanResult& result : frontier.results) {
      one["results"].push_back(json_of(result));
    }
    json["planners"].push_back(std::move(one));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string frontier_csv(const FrontierReport& report) {
  std::string text =
      csv_line({"planner", "budget_bytes", "fits", "peak_bytes", "recompute_us", "overhead",
                "bound_us", "gap", "minimum_budget_bytes", "planner_seconds"});
  // Numbers as JSON writes them: they give back the same double.
  const auto cell = [](const Json& number) { return number.is_null() ? "" : number.dump(); };
  for (const PlannerFrontier& frontier : report.planners) {
    for (const plan::PlanResult& result : frontier.results) {
      const Json json = json_of(result);
      text += csv_line({frontier.planner, cell(json["budget_bytes"]), cell(json["fits"]),
                        cell(json["peak_bytes"]), cell(json["recompute_us"]),
                        cell(json["overhead"]), cell(json["bound_us"]), cell(json["gap"]),
                        cell(json["minimum_budget_bytes"]), cell(Json(frontier.seconds))});
    }
  }
  return text;
}

}  // namespace reprise::cli
