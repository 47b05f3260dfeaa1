// SPDX-License-Identifier: Apache-2.0
#include <istream>
#include <optional>

#include "reprise/plan/format_error.h"
#include "reprise/plan/format_header.h"
#include "reprise/plan/json_document.h"
#include "reprise/plan/serialize.h"
#include "reprise/plan/simulate.h"

namespace reprise::plan {

Schedule read_schedule(std::string_view json, const std::string& place) {
  const JsonDocument document(json, place);
  const JsonField root = document.root();
  check_header(root, "reprise.schedule");
  Schedule schedule;
  schedule.program_hash = root.at("program").text();
  schedule.planner = root.at("planner").text();
  schedule.budget_bytes = root.at("budget_bytes").integer(0);
  const JsonField predicted = root.at("predicted");
  schedule.predicted_peak_bytes = predicted.at("peak_bytes").integer(0);
  schedule.predicted_recompute_us = predicted.at("recompute_us").time_us();
  const JsonField replays = root.at("replays");
  for (std::size_t i = 0; i < replays.size(); ++i) {
    const JsonField object = replays.at(i);
    const JsonField before_use = object.at("before_use");
    const JsonField recipes = object.at("recipes");
    schedule.replays.push_back({before_use.id(), recipes.ids()});
    if (i > 0 && schedule.replays[i].before_use <= schedule.replays[i - 1].before_use) {
      before_use.refuse("a use after " + std::to_string(schedule.replays[i - 1].before_use) +
                        ", the one before");
    }
    if (recipes.size() == 0) {
      throw FormatError::mismatch(recipes.where(), "at least one recipe", "none");
    }
  }
  return schedule;
}

Schedule read_schedule(std::istream& in, const std::string& place) {
  return read_schedule(read_all(in, place), place);
}

Schedule read_schedule(std::string_view json, const std::string& place, const Program& program) {
  Schedule schedule = read_schedule(json, place);
  if (const std::optional<ScheduleFault> fault = find_fault(program, schedule)) {
    throw FormatError(place + ": " + fault->path, fault->what);
  }
  return schedule;
}

}  // namespace reprise::plan
