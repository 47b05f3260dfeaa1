// SPDX-License-Identifier: Apache-2.0
// The other question: not the fastest schedule within a number of bytes, but the lowest peak within
// an overhead.
#pragma once

#include <string>

#include "reprise/plan/planners.h"

namespace reprise::plan {

// Bisects over budgets, each asked of make_plan(), from `request.budget_bytes` down: the plan with
// the lowest peak found whose overhead is at most `most_overhead`, a share of the plain step. If
// even the budget itself takes more than that, or fits nothing, its answer. Peaks are told apart to
// half a per cent of the peak with everything kept, so about eight plans are made, all of them
// within the request's one time limit.
// Throws std::invalid_argument if `most_overhead` is negative or no number, and as make_plan()
// does.
PlanResult make_smallest_plan(const Program& program, const std::string& planner,
                              const PlanRequest& request, double most_overhead);

}  // namespace reprise::plan
