// SPDX-License-Identifier: Apache-2.0
// The two ends of the dial: keep every value, or none that can be rebuilt.
#pragma once

#include "reprise/plan/planner_record.h"

namespace reprise::plan {

// Replays nothing: what plain training does.
PlannerRecord keep_all_record();

// Keeps only what nothing can rebuild, and runs each recipe that backward needs once more: one
// region around the whole model.
PlannerRecord drop_all_record();

}  // namespace reprise::plan
