// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/planners.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "reprise/plan/argument_error.h"
#include "reprise/plan/ask_planner.h"
#include "reprise/plan/auto_planner.h"
#include "reprise/plan/chain/rotor_planner.h"
#include "reprise/plan/chain/step_chain_planners.h"
#include "reprise/plan/checks.h"
#include "reprise/plan/dtr/dtr_planner.h"
#include "reprise/plan/exact/exact_planner.h"
#include "reprise/plan/frontier.h"
#include "reprise/plan/nearest_word.h"
#include "reprise/plan/rules/counted_blocks.h"
#include "reprise/plan/rules/keep_or_drop_all.h"
#include "reprise/plan/rules/knapsack_planner.h"
#include "reprise/plan/rules/largest_first.h"
#include "reprise/plan/rules/op_policy.h"
#include "reprise/plan/rules/per_cut.h"
#include "reprise/plan/rules/per_label.h"
#include "reprise/plan/search/block_rotor_planner.h"
#include "reprise/plan/search/search_planner.h"
#include "reprise/plan/simulate.h"

namespace reprise::plan {

const PlannerRecord& require_planner(const Program& program, const std::string& planner,
                                     const PlanRequest& request, const std::string& place) {
  const PlannerRecord& record = find_planner(planner);
  require_at_least(place, "iterations", request.iterations, 0);
  if (!std::isfinite(request.time_limit_s) || request.time_limit_s < 0) {
    throw std::invalid_argument(place + ": time_limit_s must be finite and at least 0, got " +
                                std::to_string(request.time_limit_s));
  }
  require_known_options(record, request, place);
  require_valid(program, place + ": program");
  if (record.applies != nullptr) {
    if (const std::optional<std::string> why_not = record.applies(program)) {
      throw ArgumentError(place, "planner", "one that takes this program", planner, *why_not);
    }
  }
  if (record.require_options != nullptr) {
    record.require_options(program, request, place);
  }
  return record;
}

const std::vector<PlannerRecord>& planner_records() {
  static const std::vector<PlannerRecord> records = {
      keep_all_record(),       drop_all_record(),      every_k_record(),   sqrt_n_record(),
      balanced_bytes_record(), balanced_cost_record(), per_label_record(), per_cut_record(),
      knapsack_record(),       largest_first_record(), op_policy_record(), dtr_record(),
      revolve_record(),        mixed_record(),         rotor_record(),     block_rotor_record(),
      exact_record(),          search_record(),        auto_record(),
  };
  return records;
}

const PlannerRecord& find_planner(const std::string& name) {
  std::vector<std::string> names;
  std::string known;
  for (const PlannerRecord& record : planner_records()) {
    if (record.name == name) {
      return record;
    }
    known.append(names.empty() ? "" : ", ").append(record.name);
    names.push_back(record.name);
  }
  const std::optional<std::string> nearest = nearest_word(name, names);
  throw ArgumentError("find_planner", "planner", "one of: " + known, name,
                      nearest ? "did you mean " + *nearest + "?" : "");
}

void set_gap(const Program& program, PlanResult& result) {
  if (result.schedule && result.is_proved) {
    result.bound_us = result.recompute_us;
  }
  if (result.schedule && result.bound_us && program.step_us > 0) {
    result.gap = (result.recompute_us - *result.bound_us) / program.step_us;
  }
}

void set_plan(const Program& program, Schedule schedule, const Simulation& simulation,
              PlanResult& result) {
  result.minimum.reset();
  result.schedule = std::move(schedule);
  result.peak_bytes = simulation.peak_bytes;
  result.recompute_us = simulation.recompute_us;
  result.predicted_step_us = simulation.predicted_step_us;
  result.overhead = simulation.overhead;
  result.replays = simulation.replays;
  set_gap(program, result);
}

PlanResult make_plan(const Program& program, const std::string& planner,
                     const PlanRequest& request) {
  const PlannerRecord& record = require_planner(program, planner, request, "make_plan");
  require_at_least("make_plan", "budget_bytes", request.budget_bytes, 0);
  LowestAnswer lowest;
  return ask(Judge(program), record, request, lowest);
}

std::vector<PlanResult> plan_frontier(const Program& program, const std::string& planner,
                                      const std::vector<std::int64_t>& budgets,
                                      const PlanRequest& request) {
  const PlannerRecord& record = require_planner(program, planner, request, "plan_frontier");
  for (const std::int64_t budget_bytes : budgets) {
    require_at_least("plan_frontier", "budgets", budget_bytes, 0);
  }
  return frontier_of(program, record, budgets, request);
}

}  // namespace reprise::plan
