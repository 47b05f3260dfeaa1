// SPDX-License-Identifier: Apache-2.0
// One planner asked for one budget, its answer judged by simulate(): what make_plan() and
// plan_frontier() (planners.h) are made of.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "reprise/plan/peak_floor.h"
#include "reprise/plan/planner.h"
#include "reprise/plan/planner_record.h"
#include "reprise/plan/planners.h"
#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"

namespace reprise::plan {

// Everything that is asked about a program, worked out once per frontier.
struct Judge {
  explicit Judge(const Program& judged_program);

  const Program& program;
  std::string hash;
  PeakFloor floor;
};

// The lowest that a planner is found to reach, once that is known: what it finds at the floor, or
// on the way down from there. Nothing that was stopped.
struct LowestAnswer {
  std::optional<PlannerAnswer> answer;
  std::int64_t peak_bytes = 0;

  // Whether it is the answer to this budget too.
  bool settles(std::int64_t budget_bytes) const {
    return answer && answer->is_minimum && budget_bytes < peak_bytes;
  }
};

// The record of the planner. Throws what make_plan() throws of the program, the planner and the
// request but its budget, beginning with `place`.
const PlannerRecord& require_planner(const Program& program, const std::string& planner,
                                     const PlanRequest& request, const std::string& place);

// What is left of the request's time if it began at `start`: 0, no limit, if it has none; else
// something, if only to find out that it is too late.
double time_left_s(const PlanRequest& request, std::chrono::steady_clock::time_point start);

// For all that follow REQUIRES: the program has no fault, and the request suits the record.

// The result before anything was found.
PlanResult blank_result(const Judge& judge, const PlannerRecord& record, std::int64_t budget_bytes);

// Puts the schedule into the result: as the plan if it fits, else as the minimum.
void take(PlanResult& result, const Judge& judge, const PlannerRecord& record, Schedule schedule);

// Uses `lowest`, and fills it in once that is known.
PlanResult ask(const Judge& judge, const PlannerRecord& record, const PlanRequest& request,
               LowestAnswer& lowest);

}  // namespace reprise::plan
