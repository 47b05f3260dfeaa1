// SPDX-License-Identifier: Apache-2.0
// Drops the largest values first, until the step fits.
#pragma once

#include "reprise/plan/planner_record.h"

namespace reprise::plan {

// Asks only how large a value is, not what it costs to rebuild. Option keep_below_bytes: smaller
// values stay whatever happens. An iteration is a schedule that is tried.
PlannerRecord largest_first_record();

}  // namespace reprise::plan
