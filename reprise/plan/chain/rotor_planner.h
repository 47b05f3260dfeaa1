// SPDX-License-Identifier: Apache-2.0
// The planner `rotor`: the heterogeneous chain DP (rotor.h) for programs that are chains.
#pragma once

#include "reprise/plan/planner_record.h"

namespace reprise::plan {

// Solves the chain that chain_of.h finds for every budget at once, and tries those budgets of the
// chain that may give a schedule within the step's: the chain counts other bytes than the step
// does, so simulate() decides, and the largest that fits is found by bisection. An iteration is a
// schedule that is tried; the table before them, up to two seconds, is not interrupted. Chains of
// at most 200 stages: the table needs a unit per stage that is kept, or it would keep too few.
PlannerRecord rotor_record();

}  // namespace reprise::plan
