// SPDX-License-Identifier: Apache-2.0
// One block per part of the model, as the recipes' labels name them.
#pragma once

#include "reprise/plan/planner_record.h"

namespace reprise::plan {

// A label is a path with dots ("blocks.3.attn"); a block is a run of recipes whose labels agree in
// the first `depth` parts. Recipes without a label belong to the block before them. Option depth;
// without it every depth that occurs is tried. Applies only if some recipe has a label.
PlannerRecord per_label_record();

}  // namespace reprise::plan
