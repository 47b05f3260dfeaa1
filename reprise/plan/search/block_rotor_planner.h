// SPDX-License-Identifier: Apache-2.0
// The planner `block_rotor`: any program, cut into blocks and solved as a chain of them
// (block_rotor.h).
#pragma once

#include "reprise/plan/planner_record.h"

namespace reprise::plan {

// Tries some numbers of blocks with some budgets of their chain each; an iteration is a schedule
// that is tried. Without the repairs of `search`: what the chain leaves out costs budget.
PlannerRecord block_rotor_record();

}  // namespace reprise::plan
