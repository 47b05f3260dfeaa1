// SPDX-License-Identifier: Apache-2.0
// The planners of chains of equal steps, for programs that are chains (chain_of.h): what they make
// of a program's unequal stages is judged by simulate().
#pragma once

#include "reprise/plan/planner_record.h"

namespace reprise::plan {

// Revolve (binomial.h) with every number of snapshots up to 64, then fewer and fewer of them, and
// again every number near the best; counts so small that revolve runs more than a million steps are
// left out. An iteration is a schedule that is tried. Chains of at most 20,000 stages.
PlannerRecord revolve_record();

// Mixed checkpointing (mixed.h) in the same way, with numbers of states and records. Chains of at
// most 200 stages.
PlannerRecord mixed_record();

}  // namespace reprise::plan
