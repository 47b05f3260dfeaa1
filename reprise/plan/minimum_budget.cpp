// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/minimum_budget.h"

#include <utility>

#include "reprise/plan/assert.h"
#include "reprise/plan/peak_floor.h"
#include "reprise/plan/planners.h"

namespace reprise::plan {

MinimumBudget minimum_budget(const Program& program, const PlanRequest& request) {
  require_valid(program, "minimum_budget: program");
  PeakFloor floor = peak_floor(program);
  PlanRequest lowest = request;
  lowest.budget_bytes = floor.bytes;
  lowest.wants_bound = false;
  lowest.options.clear();
  PlanResult result = make_plan(program, "auto", lowest);
  if (result.minimum) {
    return std::move(*result.minimum);
  }
  REPRISE_ASSERT(result.schedule.has_value(), "auto found no schedule at all");
  return {.budget_bytes = floor.bytes,
          .reason = std::move(floor.reason),
          .schedule = std::move(*result.schedule),
          .is_proved = true};
}

}  // namespace reprise::plan
