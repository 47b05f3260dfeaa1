// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/plan_report.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "reprise/cli/dropped_values.h"
#include "reprise/cli/json_values.h"
#include "reprise/cli/number_text.h"
#include "reprise/cli/printable_text.h"
#include "reprise/cli/program_text.h"
#include "reprise/cli/text_table.h"
#include "reprise/plan/hash.h"
#include "reprise/plan/peak_floor.h"
#include "reprise/plan/serialize.h"
#include "reprise/plan/shortened.h"

namespace reprise::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownGroups = 15;
constexpr std::size_t kShownValues = 3;

std::string time_text(double us) {
  return us < 1e7 ? fixed_text(us / 1e3, 1) + " ms" : fixed_text(us / 1e6, 1) + " s";
}

std::string exact_bytes_text(std::int64_t bytes) {
  return bytes_text(bytes) + " (" + grouped_text(bytes) + " bytes)";
}

std::string gap_text(const plan::PlanResult& result) {
  if (result.schedule && result.is_proved) {
    return "none";
  }
  return result.gap ? fixed_text(100 * *result.gap, 1) + " points" : "-";
}

std::string count_text(std::int64_t count, const std::string& one) {
  return grouped_text(count) + " " + one + (count == 1 ? "" : "s");
}

std::string gap_sentence(const plan::PlanResult& result) {
  if (result.is_proved) {
    return "none: no plan in this budget is faster";
  }
  if (!result.gap) {
    return "no bound is known";
  }
  if (*result.gap <= 0) {
    return "no plan in this budget is faster";
  }
  return (*result.gap < 0.0005 ? "less than 0.1 points" : "at most " + gap_text(result)) +
         " above the fastest plan in this budget";
}

std::vector<std::string> cells(const DroppedGroup& group, bool has_labels) {
  std::vector<std::string> cells = {shortened(group.op), grouped_text(group.values),
                                    bytes_text(group.bytes), grouped_text(group.replays),
                                    time_text(group.recompute_us)};
  if (has_labels) {
    cells.insert(cells.begin(), shortened(group.label));
  }
  return cells;
}

std::string dropped_text(const std::vector<DroppedGroup>& groups) {
  if (groups.empty()) {
    return "Nothing is dropped.\n";
  }
  const bool has_labels = std::any_of(
      groups.begin(), groups.end(), [](const DroppedGroup& group) { return !group.label.empty(); });
  std::vector<TextColumn> columns = {
      {"op", false}, {"values dropped"}, {"bytes"}, {"replays"}, {"recompute"}};
  if (has_labels) {
    columns.insert(columns.begin(), {"label", false});
  }
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(groups.size(), kShownGroups); ++i) {
    rows.push_back(cells(groups[i], has_labels));
  }
  if (groups.size() > kShownGroups) {
    DroppedGroup rest = total_of({groups.begin() + kShownGroups, groups.end()});
    rest.op = grouped_text(static_cast<std::int64_t>(groups.size() - kShownGroups)) + " more";
    rows.push_back(cells(rest, has_labels));
  }
  return table_text(columns, rows);
}

std::string model_text(const EstimatedModel& model) {
  return "times are estimates, at " + number_text(model.gflops) + " GFLOP/s and " +
         number_text(model.gbytes_per_s) + " GB/s; " +
         bytes_text(model.parameter_bytes + model.there_gradient_bytes) + " of parameters" +
         (model.there_gradient_bytes > 0 ? ", gradients" : "") +
         " and buffers come on top of all bytes here\n";
}

std::string strip(const PlanReport& report, const DroppedGroup& dropped) {
  const plan::PlanResult& result = report.result;
  return table_text(
      {{"plan", false}, {"dropped"}, {"peak"}, {"of plain"}, {"step"}, {"overhead"}, {"gap"}},
      {{"keep_all", "0", bytes_text(report.keep_all_peak_bytes), "100.0 %",
        time_text(report.program.step_us), overhead_text(overhead_of(report.program, 0)), "-"},
       {result.planner, grouped_text(dropped.values), bytes_text(result.peak_bytes),
        share_text(result.peak_bytes, report.keep_all_peak_bytes),
        time_text(result.predicted_step_us),
        overhead_text(overhead_of(report.program, result.recompute_us)), gap_text(result)}});
}

Json json_of(const DroppedGroup& group) {
  return {{"label", group.label}, {"op", group.op},           {"values", group.values},
          {"bytes", group.bytes}, {"replays", group.replays}, {"recompute_us", group.recompute_us}};
}

Json json_of(const plan::Program& program, const plan::PeakReason& reason) {
  Json json = {{"place", reason.place},
               {"background_bytes", reason.background_bytes},
               {"values", Json::array()}};
  for (const int value : reason.values) {
    json["values"].push_back({{"value", value},
                              {"bytes", program.values[static_cast<std::size_t>(value)].bytes},
                              {"op", op_of(program, value)},
                              {"label", label_of(program, value)}});
  }
  return json;
}

// The smallest budget that is known, and why: the planner's, else the floor of all.
struct Minimum {
  std::int64_t budget_bytes = 0;
  plan::PeakReason reason;
  bool is_met = false;    // by a schedule
  bool is_least = false;  // that the planner meets
};

Minimum minimum_of(const PlanReport& report) {
  if (const std::optional<plan::MinimumBudget>& minimum = report.result.minimum) {
    return {.budget_bytes = minimum->budget_bytes,
            .reason = minimum->reason,
            .is_met = true,
            .is_least = minimum->is_least || minimum->is_proved};
  }
  plan::PeakFloor floor = plan::peak_floor(report.program);
  return {.budget_bytes = floor.bytes, .reason = std::move(floor.reason)};
}

std::string value_text(const plan::Program& program, int value) {
  const std::string label = label_of(program, value);
  return bytes_text(program.values[static_cast<std::size_t>(value)].bytes) + " of value " +
         std::to_string(value) + " (" + shortened(op_of(program, value)) +
         (label.empty() ? "" : ", " + shortened(label)) + ")";
}

std::string reason_text(const plan::Program& program, const plan::PeakReason& reason) {
  std::string text = printable_line(reason.place) + " needs " +
                     bytes_text(reason.background_bytes) + " that no plan controls";
  std::int64_t others = 0;
  std::int64_t others_bytes = 0;
  for (std::size_t i = 0; i < reason.values.size(); ++i) {
    const std::int64_t bytes = program.values[static_cast<std::size_t>(reason.values[i])].bytes;
    if (i < kShownValues) {
      text += ", " + value_text(program, reason.values[i]);
    } else {
      ++others;
      others_bytes += bytes;
    }
  }
  return others == 0 ? text
                     : text + ", " + bytes_text(others_bytes) + " of " + grouped_text(others) +
                           (others == 1 ? " more value" : " more values");
}

}  // namespace

std::string plan_text(const PlanReport& report) {
  const plan::PlanResult& result = report.result;
  const std::vector<DroppedGroup> groups = dropped_values(report.program, *result.schedule);
  std::string text = program_text(report.program) + "\n";
  text += report.model ? model_text(*report.model) : "";
  text += "planned by " + result.planner + " in " + duration_text(report.seconds) +
          (result.iterations > 0 ? ", " + count_text(result.iterations, "iteration") : "") +
          (result.is_cancelled ? ", stopped" : "") +
          (result.is_out_of_time ? ", until its time was up" : "") + "\n" +
          (result.note.empty() ? "" : printable_line(result.note) + "\n") + "\n";
  text += "budget     " + exact_bytes_text(result.budget_bytes) + "\n";
  text += "peak       " + exact_bytes_text(result.peak_bytes) + ", " +
          share_text(result.peak_bytes, report.keep_all_peak_bytes) + " of the " +
          bytes_text(report.keep_all_peak_bytes) + " with everything kept\n";
  text += "overhead   " + overhead_text(overhead_of(report.program, result.recompute_us)) + ": " +
          time_text(result.recompute_us) + " recomputed in " +
          count_text(result.replays, "replay") + "\n";
  text += "gap        " + gap_sentence(result) + "\n\n";
  return text + dropped_text(groups) + "\n" + strip(report, total_of(groups));
}

std::string plan_json(const PlanReport& report) {
  const plan::PlanResult& result = report.result;
  Json json = {{"format", "reprise.plan"},
               {"version", 1},
               {"program",
                {{"name", report.program.name},
                 {"hash", plan::program_hash(report.program)},
                 {"step_us", report.program.step_us}}},
               {"planner", result.planner},
               {"note", result.note},
               {"budget_bytes", result.budget_bytes},
               {"fits", result.schedule.has_value()},
               {"keep_all_peak_bytes", report.keep_all_peak_bytes},
               {"floor_bytes", result.floor_bytes},
               {"iterations", result.iterations},
               {"seconds", report.seconds},
               {"cancelled", result.is_cancelled},
               {"out_of_time", result.is_out_of_time},
               {"proved", result.is_proved}};
  if (report.model) {
    json["model"] = {{"parameter_bytes", report.model->parameter_bytes},
                     {"there_gradient_bytes", report.model->there_gradient_bytes},
                     {"made_gradient_bytes", report.model->made_gradient_bytes},
                     {"gflops", report.model->gflops},
                     {"gbytes_per_s", report.model->gbytes_per_s}};
  }
  if (result.schedule) {
    json["peak_bytes"] = result.peak_bytes;
    json["recompute_us"] = result.recompute_us;
    json["overhead"] = or_null(overhead_of(report.program, result.recompute_us));
    json["predicted_step_us"] = result.predicted_step_us;
    json["replays"] = result.replays;
    json["bound_us"] = or_null(result.bound_us);
    json["gap"] = or_null(result.gap);
    json["dropped"] = Json::array();
    for (const DroppedGroup& group : dropped_values(report.program, *result.schedule)) {
      json["dropped"].push_back(json_of(group));
    }
    json["schedule"] = Json::parse(plan::write_schedule(*result.schedule));
  } else {
    const Minimum minimum = minimum_of(report);
    json["minimum"] = {{"budget_bytes", minimum.budget_bytes},
                       {"met", minimum.is_met},
                       {"reason", json_of(report.program, minimum.reason)}};
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string refusal_text(const PlanReport& report, const std::string& option,
                         const std::string& budget) {
  const Minimum minimum = minimum_of(report);
  return option + ": expected at least " + grouped_text(minimum.budget_bytes) + " bytes (" +
         bytes_text(minimum.budget_bytes) + "), " +
         (minimum.is_met
              ? std::string("the smallest budget ") + (minimum.is_least ? "" : "found ") + "that " +
                    report.result.planner + " meets" +
                    (report.result.is_out_of_time ? " in this time" : "")
              : "below which no plan can go, and " + report.result.planner + " found none at all") +
         ": " + reason_text(report.program, minimum.reason) + "; got " + shortened(budget) + ", " +
         bytes_text(report.result.budget_bytes);
}

}  // namespace reprise::cli
