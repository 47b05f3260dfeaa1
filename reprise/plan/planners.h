// SPDX-License-Identifier: Apache-2.0
// The table of planners, and the one way to ask any of them: make_plan() checks what goes in and
// lets simulate(), and nothing else, judge what comes out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reprise/plan/planner.h"
#include "reprise/plan/planner_record.h"
#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"
#include "reprise/plan/simulate.h"

namespace reprise::plan {

// Every planner, in the order in which help lists them.
const std::vector<PlannerRecord>& planner_records();

// Throws ArgumentError that lists the known names, and says which may have been meant.
const PlannerRecord& find_planner(const std::string& name);

// All figures are those of simulate().
struct PlanResult {
  std::string planner;
  std::int64_t budget_bytes = 0;
  std::int64_t floor_bytes = 0;  // no schedule has a lower peak
  // The schedule that fits; nothing if this planner finds none. Then `minimum` has its lowest peak.
  std::optional<Schedule> schedule;
  std::int64_t peak_bytes = 0;
  double recompute_us = 0;
  double predicted_step_us = 0;
  double overhead = 0;  // recompute_us / step_us
  std::int64_t replays = 0;
  // No schedule within the budget recomputes for less: that of a schedule that is proved, else
  // recompute_bound.h's, which is nothing below the floor, or if the request does not want it.
  std::optional<double> bound_us;
  std::optional<double> gap;  // (recompute_us - bound_us) / step_us
  // The smallest budget that a schedule of this planner is found to meet, and why it is not
  // smaller. Only if nothing fits, and only if the planner found a schedule at all. It is the
  // lowest peak of what the planner answers to the floor and then to less than it has found, until
  // nothing lower comes of it: the same whatever the budget. make_plan() has a plan for every
  // budget from there on. A planner that does not vouch for it (`is_least`) may meet a smaller one
  // by chance.
  std::optional<MinimumBudget> minimum;
  std::int64_t iterations = 0;
  bool is_cancelled = false;
  bool is_out_of_time = false;
  // No schedule within the budget is faster; if none fits, none has a lower peak than `minimum`.
  bool is_proved = false;
  std::string note;  // for people: what was picked and why
};

// Puts `schedule`, which simulate() judged, into `result` as its plan: figures, and the gap if the
// bound is known.
void set_plan(const Program& program, Schedule schedule, const Simulation& simulation,
              PlanResult& result);
// Sets the gap of a result that has a plan and a bound; a plan that is proved is its own bound.
void set_gap(const Program& program, PlanResult& result);

// Asks one planner. Throws std::invalid_argument if the program has a fault, the planner is unknown
// or cannot take the program, an option is unknown or out of bounds, or a limit is negative.
PlanResult make_plan(const Program& program, const std::string& planner,
                     const PlanRequest& request);

// Asks one planner once per distinct budget, in ascending order, then answers each of `budgets`, in
// the order given, with the fastest of *all* schedules found that fits it (of equals the one with
// the lower peak, then the one found for the lower budget). So, whatever the planner does, a
// smaller budget never has a higher peak and a larger one never a slower plan. The note is that of
// the schedule.
//
// One minimum is settled: once a planner vouches for it (PlannerAnswer::is_minimum), it is the
// answer to every smaller budget, without asking again, and no schedule that was found for another
// budget undercuts it. An answer that was cancelled or ran out of time settles nothing.
//
// `request.budget_bytes` is not read. Throws as make_plan() does.
std::vector<PlanResult> plan_frontier(const Program& program, const std::string& planner,
                                      const std::vector<std::int64_t>& budgets,
                                      const PlanRequest& request);

}  // namespace reprise::plan
