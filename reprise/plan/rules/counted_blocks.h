// SPDX-License-Identifier: Apache-2.0
// Blocks by counting and weighing recipes: nothing is known about the model but their order.
#pragma once

#include "reprise/plan/planner_record.h"

namespace reprise::plan {

// Blocks of k recipes. Option k; without it every sensible k is tried.
PlannerRecord every_k_record();

// ceil(sqrt(recipes)) blocks of about as many recipes each (Chen et al. 2016, arXiv 1604.06174).
PlannerRecord sqrt_n_record();

// Blocks that make about equally many bytes, or take equally long to run. Option blocks; without it
// every sensible number is tried.
PlannerRecord balanced_bytes_record();
PlannerRecord balanced_cost_record();

}  // namespace reprise::plan
