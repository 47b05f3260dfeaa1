// SPDX-License-Identifier: Apache-2.0
// What plan_frontier() (planners.h) answers, of a planner that need not be in the table.
#pragma once

#include <cstdint>
#include <vector>

#include "reprise/plan/planner.h"
#include "reprise/plan/planner_record.h"
#include "reprise/plan/planners.h"
#include "reprise/plan/program.h"

namespace reprise::plan {

// REQUIRES: the program has no fault, the request suits the record, no budget is negative.
std::vector<PlanResult> frontier_of(const Program& program, const PlannerRecord& record,
                                    const std::vector<std::int64_t>& budgets,
                                    const PlanRequest& request);

}  // namespace reprise::plan
