// SPDX-License-Identifier: Apache-2.0
// Drops what gives the most bytes per microsecond of recomputing first, until the step fits.
#pragma once

#include "reprise/plan/planner_record.h"

namespace reprise::plan {

// The values that a recipe makes and backward needs are dropped together; they cost the recipe and
// whatever must be rebuilt for it. Option solver: `greedy` drops by bytes per microsecond, `dp`
// keeps the best choice within so many bytes (knapsack.h), with fewer bytes until the step fits;
// without it both are tried. `dp` is left out beyond 2,000 droppable recipes. What the model of a
// knapsack does not see (everything rebuilt is alive at some time) simulate() does.
PlannerRecord knapsack_record();

}  // namespace reprise::plan
