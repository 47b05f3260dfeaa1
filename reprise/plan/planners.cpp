// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/planners.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "reprise/plan/argument_error.h"
#include "reprise/plan/assert.h"
#include "reprise/plan/auto_planner.h"
#include "reprise/plan/candidates.h"
#include "reprise/plan/chain/rotor_planner.h"
#include "reprise/plan/chain/step_chain_planners.h"
#include "reprise/plan/checks.h"
#include "reprise/plan/dtr/dtr_planner.h"
#include "reprise/plan/exact/exact_planner.h"
#include "reprise/plan/hash.h"
#include "reprise/plan/peak_floor.h"
#include "reprise/plan/recompute_bound.h"
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
namespace {

constexpr double kBoundShare = 0.25;  // of a time limit
constexpr double kLongestBoundS = 60;
constexpr double kLeastTime = 1e-3;  // of a time limit, however much was spent before

// Everything that make_plan() asks about a program, worked out once per frontier.
struct Judge {
  const Program& program;
  std::string hash;
  PeakFloor floor;
};

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
      throw std::invalid_argument(place + ": planner " + planner +
                                  " must suit the program: " + *why_not);
    }
  }
  return record;
}

// The schedule with its head filled in, and what it costs.
Simulation judge_schedule(const Judge& judge, const PlannerRecord& record,
                          std::int64_t budget_bytes, Schedule& schedule) {
  schedule.program_hash.clear();
  Simulation simulation = simulate(judge.program, schedule);
  schedule.program_hash = judge.hash;
  schedule.planner = record.name;
  schedule.budget_bytes = budget_bytes;
  schedule.predicted_peak_bytes = simulation.peak_bytes;
  schedule.predicted_recompute_us = simulation.recompute_us;
  return simulation;
}

PlanResult blank_result(const Judge& judge, const PlannerRecord& record,
                        std::int64_t budget_bytes) {
  PlanResult result;
  result.planner = record.name;
  result.budget_bytes = budget_bytes;
  result.floor_bytes = judge.floor.bytes;
  return result;
}

// Puts the schedule into the result: as the plan if it fits, else as the minimum.
void take(PlanResult& result, const Judge& judge, const PlannerRecord& record, Schedule schedule) {
  const Simulation simulation = judge_schedule(judge, record, result.budget_bytes, schedule);
  if (simulation.peak_bytes > result.budget_bytes) {
    schedule.budget_bytes = simulation.peak_bytes;
    const bool was_proved = result.minimum && result.minimum->is_proved &&
                            result.minimum->budget_bytes == simulation.peak_bytes;
    result.minimum = {.budget_bytes = simulation.peak_bytes,
                      .reason = simulation.peak_bytes == judge.floor.bytes
                                    ? judge.floor.reason
                                    : peak_reason(judge.program, simulation),
                      .schedule = std::move(schedule),
                      .is_proved = was_proved};
    return;
  }
  set_plan(judge.program, std::move(schedule), simulation, result);
}

// What a planner answers at the floor, once that is known and was not stopped.
struct FloorAnswer {
  std::optional<PlannerAnswer> answer;
  std::int64_t peak_bytes = 0;

  // Whether it is the answer to this budget too.
  bool settles(std::int64_t budget_bytes) const {
    return answer && answer->is_minimum && budget_bytes < peak_bytes;
  }
};

using Moment = std::chrono::steady_clock::time_point;

// 0, no limit, if the request has none; else something, if only to find out that it is too late.
double time_left_s(const PlanRequest& request, Moment start) {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  return request.time_limit_s > 0
             ? std::max(kLeastTime * request.time_limit_s, request.time_limit_s - spent.count())
             : 0;
}

// Has at most a share of the request's time: the plan matters more.
double bound_in_time(const Judge& judge, const PlanRequest& request) {
  BoundOptions options{.floor_bytes = judge.floor.bytes};
  if (request.time_limit_s > 0) {
    const Moment end = std::chrono::steady_clock::now() +
                       std::chrono::duration_cast<Moment::duration>(std::chrono::duration<double>(
                           std::min(kLongestBoundS, kBoundShare * request.time_limit_s)));
    options.go_on = [end] { return std::chrono::steady_clock::now() < end; };
  }
  return recompute_bound_us(judge.program, request.budget_bytes, options);
}

bool is_stopped(const PlannerAnswer& answer) {
  return answer.is_cancelled || answer.is_out_of_time;
}

// The planner's answer to a budget of at least the floor. One that does not fit is the answer to
// the floor: the planner's lowest peak must not depend on the budget that it cannot meet.
std::optional<PlannerAnswer> find(const Judge& judge, const PlannerRecord& record,
                                  const PlanRequest& request, FloorAnswer& at_floor) {
  const auto start = std::chrono::steady_clock::now();
  if (at_floor.settles(request.budget_bytes)) {
    return at_floor.answer;
  }
  std::optional<PlannerAnswer> answer = record.make()->find(judge.program, request);
  if (!answer || answer->fits || answer->is_proved || is_stopped(*answer)) {
    return answer;
  }
  const auto keep = [&](PlannerAnswer lowest) {
    at_floor.peak_bytes = simulate(judge.program, lowest.schedule).peak_bytes;
    at_floor.answer = std::move(lowest);
  };
  if (answer->is_minimum || request.budget_bytes == judge.floor.bytes) {
    keep(*answer);
  }
  if (!at_floor.answer) {
    PlanRequest lowest = request;
    lowest.budget_bytes = judge.floor.bytes;
    lowest.time_limit_s = time_left_s(request, start);
    std::optional<PlannerAnswer> found = record.make()->find(judge.program, lowest);
    if (!found) {
      return answer;
    }
    found->iterations += answer->iterations;
    if (is_stopped(*found)) {
      answer->iterations = found->iterations;
      answer->is_cancelled = found->is_cancelled;
      answer->is_out_of_time = found->is_out_of_time;
      return answer;
    }
    keep(*std::move(found));
  }
  return at_floor.answer;
}

PlanResult ask(const Judge& judge, const PlannerRecord& record, const PlanRequest& request,
               FloorAnswer& at_floor) {
  const auto start = std::chrono::steady_clock::now();
  PlanResult result = blank_result(judge, record, request.budget_bytes);
  if (request.wants_bound && request.budget_bytes >= judge.floor.bytes) {
    const double bound_us = bound_in_time(judge, request);
    if (std::isfinite(bound_us)) {
      result.bound_us = bound_us;
    }
  }
  // Below the floor the question becomes what the planner can reach at best.
  PlanRequest reachable = request;
  reachable.budget_bytes = std::max(request.budget_bytes, judge.floor.bytes);
  reachable.time_limit_s = time_left_s(request, start);
  std::optional<PlannerAnswer> answer = find(judge, record, reachable, at_floor);
  if (!answer) {
    return result;
  }
  result.iterations = answer->iterations;
  result.is_cancelled = answer->is_cancelled;
  result.is_out_of_time = answer->is_out_of_time;
  result.note = std::move(answer->note);

  const bool claims_to_fit = answer->fits;
  const bool is_proved = answer->is_proved;
  take(result, judge, record, std::move(answer->schedule));
  const std::int64_t peak_bytes =
      result.schedule ? result.peak_bytes : result.minimum->budget_bytes;
  REPRISE_ASSERT(!claims_to_fit || peak_bytes <= reachable.budget_bytes,
                 "a planner was wrong about whether its schedule fits");
  if (result.minimum) {
    // A schedule that fits the floor is as low as any.
    result.minimum->is_proved = claims_to_fit || is_proved;
  }
  // The fastest schedule of the lowest peak need not be the fastest in a larger budget.
  result.is_proved = is_proved && (claims_to_fit || result.minimum);
  return result;
}

// Of equals the first; nullptr if there is none.
const JudgedSchedule* best_for(const std::vector<JudgedSchedule>& schedules,
                               std::int64_t budget_bytes) {
  const JudgedSchedule* best = nullptr;
  for (const JudgedSchedule& candidate : schedules) {
    if (best == nullptr || is_better(candidate.outcome, best->outcome, budget_bytes)) {
      best = &candidate;
    }
  }
  return best;
}

}  // namespace

const std::vector<PlannerRecord>& planner_records() {
  // clang-format off: one a line
  static const std::vector<PlannerRecord> records = {
      keep_all_record(),       drop_all_record(),      every_k_record(),   sqrt_n_record(),
      balanced_bytes_record(), balanced_cost_record(), per_label_record(), per_cut_record(),
      knapsack_record(),       largest_first_record(), op_policy_record(), dtr_record(),
      revolve_record(),        mixed_record(),         rotor_record(),     block_rotor_record(),
      exact_record(),          search_record(),        auto_record(),
  };
  // clang-format on
  return records;
}

const PlannerRecord& find_planner(const std::string& name) {
  std::string known;
  for (const PlannerRecord& record : planner_records()) {
    if (record.name == name) {
      return record;
    }
    known += (known.empty() ? "" : ", ") + record.name;
  }
  throw ArgumentError("find_planner", "the planner", "one of: " + known, name);
}

void set_gap(const Program& program, PlanResult& result) {
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
  FloorAnswer at_floor;
  return ask({program, program_hash(program), peak_floor(program)}, record, request, at_floor);
}

std::vector<PlanResult> plan_frontier(const Program& program, const std::string& planner,
                                      const std::vector<std::int64_t>& budgets,
                                      const PlanRequest& request) {
  const PlannerRecord& record = require_planner(program, planner, request, "plan_frontier");
  std::vector<std::int64_t> ascending = budgets;
  std::sort(ascending.begin(), ascending.end());
  ascending.erase(std::unique(ascending.begin(), ascending.end()), ascending.end());
  if (!ascending.empty()) {
    require_at_least("plan_frontier", "budgets", ascending.front(), 0);
  }

  const Judge judge{program, program_hash(program), peak_floor(program)};
  FloorAnswer at_floor;
  std::vector<PlanResult> solved;
  std::vector<JudgedSchedule> found;  // in the order of the budgets they were found for
  for (const std::int64_t budget_bytes : ascending) {
    PlanRequest one = request;
    one.budget_bytes = budget_bytes;
    solved.push_back(ask(judge, record, one, at_floor));
    const PlanResult& result = solved.back();
    if (const Schedule* schedule = result.schedule  ? &*result.schedule
                                   : result.minimum ? &result.minimum->schedule
                                                    : nullptr) {
      found.push_back({*schedule,
                       {.peak_bytes = schedule->predicted_peak_bytes,
                        .recompute_us = schedule->predicted_recompute_us}});
    }
    if (result.is_cancelled) {
      break;
    }
  }

  std::vector<PlanResult> frontier;
  for (const std::int64_t budget_bytes : budgets) {
    const auto at = std::lower_bound(ascending.begin(), ascending.end(), budget_bytes);
    const auto index = static_cast<std::size_t>(at - ascending.begin());
    // After a cancellation the budgets that were not reached still get what was found for others.
    PlanResult result;
    if (index < solved.size()) {
      result = solved[index];
    } else {
      result = blank_result(judge, record, budget_bytes);
      result.is_cancelled = true;
    }
    // A minimum that the planner vouches for is not undercut by what was found for other budgets.
    const bool is_settled = result.minimum && at_floor.settles(budget_bytes);
    if (const JudgedSchedule* best = best_for(found, budget_bytes);
        best != nullptr && !is_settled) {
      take(result, judge, record, best->schedule);
    }
    frontier.push_back(std::move(result));
  }
  return frontier;
}

}  // namespace reprise::plan
