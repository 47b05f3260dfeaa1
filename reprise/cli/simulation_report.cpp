// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/simulation_report.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <nlohmann/json.hpp>

#include "reprise/cli/csv_text.h"
#include "reprise/cli/json_values.h"
#include "reprise/cli/number_text.h"
#include "reprise/cli/program_text.h"
#include "reprise/cli/text_table.h"
#include "reprise/plan/hash.h"
#include "reprise/plan/shortened.h"

namespace reprise::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownValues = 10;

const char* kind_name(plan::SlotKind kind) {
  switch (kind) {
    case plan::SlotKind::kForward:
      return "forward";
    case plan::SlotKind::kReplay:
      return "replay";
    case plan::SlotKind::kUse:
      return "use";
    case plan::SlotKind::kAfterUse:
      return "after_use";
  }
  return "";
}

std::string ms_text(double us) { return fixed_text(us / 1e3, 1) + " ms"; }

std::int64_t bytes_of(const SimulationReport& report, const plan::LiveValue& live) {
  return report.program.values[static_cast<std::size_t>(live.value)].bytes;
}

// Largest first.
std::vector<plan::LiveValue> peak_values(const SimulationReport& report) {
  std::vector<plan::LiveValue> values = report.simulation.peak_values;
  std::stable_sort(values.begin(), values.end(),
                   [&](const plan::LiveValue& a, const plan::LiveValue& b) {
                     return bytes_of(report, a) > bytes_of(report, b);
                   });
  return values;
}

const plan::Slot* peak_slot(const SimulationReport& report) {
  const std::vector<plan::Slot>& timeline = report.simulation.timeline;
  return timeline.empty() ? nullptr
                          : &timeline[static_cast<std::size_t>(report.simulation.peak_slot)];
}

bool has_prediction(const plan::Schedule& schedule) {
  return schedule.predicted_peak_bytes > 0 || schedule.predicted_recompute_us > 0;
}

// Sums in another order may differ in the last digit.
bool is_as_predicted(const SimulationReport& report) {
  const double said_us = report.schedule.predicted_recompute_us;
  const double found_us = report.simulation.recompute_us;
  return report.schedule.predicted_peak_bytes == report.simulation.peak_bytes &&
         std::abs(said_us - found_us) <= 1e-9 * std::max(said_us, found_us);
}

Json prediction_json(const plan::Schedule& schedule) {
  if (!has_prediction(schedule)) {
    return nullptr;
  }
  return {{"peak_bytes", schedule.predicted_peak_bytes},
          {"recompute_us", schedule.predicted_recompute_us}};
}

std::string peak_table(const SimulationReport& report, const plan::Slot& peak) {
  const std::int64_t peak_bytes = report.simulation.peak_bytes;
  std::vector<std::vector<std::string>> rows = {
      {"what no plan controls", bytes_text(peak.background_bytes),
       share_text(peak.background_bytes, peak_bytes), "", ""}};
  if (peak.workspace_bytes > 0) {
    rows.push_back({"workspace of the replay", bytes_text(peak.workspace_bytes),
                    share_text(peak.workspace_bytes, peak_bytes), "", ""});
  }
  const std::vector<plan::LiveValue> values = peak_values(report);
  std::int64_t others_bytes = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t bytes = bytes_of(report, values[i]);
    if (i >= kShownValues) {
      others_bytes += bytes;
      continue;
    }
    rows.push_back({"value " + std::to_string(values[i].value) +
                        (values[i].is_recomputed ? ", recomputed" : ", kept"),
                    bytes_text(bytes), share_text(bytes, peak_bytes),
                    shortened(op_of(report.program, values[i].value)),
                    shortened(label_of(report.program, values[i].value))});
  }
  if (values.size() > kShownValues) {
    rows.push_back(
        {grouped_text(static_cast<std::int64_t>(values.size() - kShownValues)) + " smaller values",
         bytes_text(others_bytes), share_text(others_bytes, peak_bytes), "", ""});
  }
  return table_text(
      {{"at the peak", false}, {"bytes"}, {"share"}, {"made by", false}, {"label", false}}, rows);
}

Json json_of(const SimulationReport& report, const plan::Slot& slot) {
  Json json = {{"kind", kind_name(slot.kind)},
               {"index", slot.index},
               {"place", slot_text(report.program, slot)},
               {"kept_bytes", slot.kept_bytes},
               {"recomputed_bytes", slot.recomputed_bytes},
               {"background_bytes", slot.background_bytes},
               {"workspace_bytes", slot.workspace_bytes},
               {"values", Json::array()}};
  for (const plan::LiveValue& live : peak_values(report)) {
    json["values"].push_back({{"value", live.value},
                              {"bytes", bytes_of(report, live)},
                              {"recomputed", live.is_recomputed},
                              {"op", op_of(report.program, live.value)},
                              {"label", label_of(report.program, live.value)}});
  }
  return json;
}

template <class Field>
Json column(const std::vector<plan::Slot>& timeline, Field field) {
  Json json = Json::array();
  for (const plan::Slot& slot : timeline) {
    json.push_back(field(slot));
  }
  return json;
}

Json timeline_json(const std::vector<plan::Slot>& timeline) {
  return {{"kind", column(timeline, [](const plan::Slot& slot) { return kind_name(slot.kind); })},
          {"index", column(timeline, [](const plan::Slot& slot) { return slot.index; })},
          {"recipe", column(timeline,
                            [](const plan::Slot& slot) {
                              return slot.recipe == plan::kNoRecipe ? Json(nullptr)
                                                                    : Json(slot.recipe);
                            })},
          {"kept_bytes", column(timeline, [](const plan::Slot& slot) { return slot.kept_bytes; })},
          {"recomputed_bytes",
           column(timeline, [](const plan::Slot& slot) { return slot.recomputed_bytes; })},
          {"background_bytes",
           column(timeline, [](const plan::Slot& slot) { return slot.background_bytes; })},
          {"workspace_bytes",
           column(timeline, [](const plan::Slot& slot) { return slot.workspace_bytes; })}};
}

}  // namespace

std::string simulation_text(const SimulationReport& report) {
  const plan::Simulation& simulation = report.simulation;
  std::string text = program_text(report.program) + "\n\n";
  text += "peak         " + bytes_text(simulation.peak_bytes) + " (" +
          grouped_text(simulation.peak_bytes) + " bytes), " +
          share_text(simulation.peak_bytes, report.keep_all_peak_bytes) + " of the " +
          bytes_text(report.keep_all_peak_bytes) + " with everything kept\n";
  if (const plan::Slot* const peak = peak_slot(report)) {
    text += "at           " + slot_text(report.program, *peak) + ", slot " +
            grouped_text(simulation.peak_slot) + " of " +
            grouped_text(static_cast<std::int64_t>(simulation.timeline.size())) + "\n";
  }
  text += "recomputes   " + ms_text(simulation.recompute_us) + " in " +
          grouped_text(simulation.replays) + (simulation.replays == 1 ? " replay" : " replays") +
          ", " + overhead_text(overhead_of(report.program, simulation.recompute_us)) +
          " of the step\n";
  text += "step         " + ms_text(simulation.predicted_step_us) + " predicted, " +
          ms_text(report.program.step_us) + " with everything kept\n";
  if (report.schedule.budget_bytes > 0) {
    text += "budget       " + bytes_text(report.schedule.budget_bytes) + ": " +
            (simulation.peak_bytes <= report.schedule.budget_bytes ? "kept" : "NOT KEPT") + "\n";
  }
  if (has_prediction(report.schedule) && !is_as_predicted(report)) {
    text += "file says    a peak of " + grouped_text(report.schedule.predicted_peak_bytes) +
            " bytes, " + ms_text(report.schedule.predicted_recompute_us) + " recomputed: NOT SO\n";
  }
  text += "floor        " + bytes_text(report.floor_bytes) + ": no schedule needs less\n";
  if (const plan::Slot* const peak = peak_slot(report)) {
    text += "\n" + peak_table(report, *peak);
  }
  return text;
}

std::string simulation_json(const SimulationReport& report) {
  const plan::Simulation& simulation = report.simulation;
  const plan::Slot* const peak = peak_slot(report);
  const Json json = {
      {"format", "reprise.simulation"},
      {"version", 1},
      {"program",
       {{"name", report.program.name},
        {"hash", plan::program_hash(report.program)},
        {"step_us", report.program.step_us}}},
      {"schedule",
       {{"planner", report.schedule.planner},
        {"budget_bytes",
         report.schedule.budget_bytes == 0 ? Json(nullptr) : Json(report.schedule.budget_bytes)},
        {"predicted", prediction_json(report.schedule)},
        {"as_predicted",
         has_prediction(report.schedule) ? Json(is_as_predicted(report)) : Json(nullptr)}}},
      {"peak_bytes", simulation.peak_bytes},
      {"peak_slot", simulation.peak_slot},
      {"keep_all_peak_bytes", report.keep_all_peak_bytes},
      {"floor_bytes", report.floor_bytes},
      {"replays", simulation.replays},
      {"recompute_us", simulation.recompute_us},
      {"overhead", or_null(overhead_of(report.program, simulation.recompute_us))},
      {"predicted_step_us", simulation.predicted_step_us},
      {"peak", peak == nullptr ? Json(nullptr) : json_of(report, *peak)},
      {"timeline", timeline_json(simulation.timeline)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string timeline_csv(const SimulationReport& report) {
  std::string text =
      csv_line({"slot", "kind", "index", "recipe", "name", "label", "kept_bytes",
                "recomputed_bytes", "background_bytes", "workspace_bytes", "total_bytes"});
  std::int64_t number = 0;
  for (const plan::Slot& slot : report.simulation.timeline) {
    std::string recipe;
    std::string name;
    std::string label;
    if (slot.kind == plan::SlotKind::kReplay) {
      const plan::Recipe& found = report.program.recipes[static_cast<std::size_t>(slot.recipe)];
      recipe = std::to_string(slot.recipe);
      name = found.name;
      label = found.label;
    } else if (slot.kind != plan::SlotKind::kForward) {
      const plan::Use& found = report.program.uses[static_cast<std::size_t>(slot.index)];
      name = found.name;
      label = found.label;
    }
    text += csv_line({std::to_string(number++), kind_name(slot.kind), std::to_string(slot.index),
                      recipe, name, label, std::to_string(slot.kept_bytes),
                      std::to_string(slot.recomputed_bytes), std::to_string(slot.background_bytes),
                      std::to_string(slot.workspace_bytes), std::to_string(slot.total_bytes())});
  }
  return text;
}

}  // namespace reprise::cli
