// SPDX-License-Identifier: Apache-2.0
// The smallest budget that some schedule of ours meets, and why it is not smaller.
#pragma once

#include "reprise/plan/planner.h"
#include "reprise/plan/program.h"

namespace reprise::plan {

// What the planner `auto` reaches when it is asked for the program's floor (peak_floor.h): the
// floor itself or the lowest peak found; proved for programs that are small enough for `exact`.
// make_plan() with `auto` has a plan for every budget from there on, and names the same minimum for
// every smaller one, given the same iterations and seed. `request.budget_bytes` and `options` are
// not read. A request that is
// cancelled or out of time gets what was found until then.
// Throws std::invalid_argument if the program has a fault or a limit is negative.
MinimumBudget minimum_budget(const Program& program, const PlanRequest& request = {});

}  // namespace reprise::plan
