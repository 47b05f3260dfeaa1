// SPDX-License-Identifier: Apache-2.0
// The fastest schedule there is, for small programs: what every other planner is measured against.
#pragma once

#include "reprise/plan/planner_record.h"

namespace reprise::plan {

// Exact: no schedule within the budget recomputes for less, and if none fits, none has a lower
// peak. Takes programs that small_problem.h can hold. An iteration is a step of backward_walk.h,
// 20,000,000 unless the request says otherwise: some 10 s. Stopped by a limit or for want of
// memory, the planner answers with the best of a few simple schedules, and its note says that
// nothing is proved.
PlannerRecord exact_record();

}  // namespace reprise::plan
