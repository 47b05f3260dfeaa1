// SPDX-License-Identifier: Apache-2.0
// The planner `search`: any program, in seconds up to 50,000 ops.
// tests/plan/search/recorded_test.cpp holds it to the overheads of recorded programs and to the
// optimum of small ones.
//
// First it goes down (descent.h) until it meets the budget, which is refused if the way ends above
// it. Seeds (seeds.h) are shaved to the budget; then ruin and recreate improves the best of all
// these, and in the end the best of those. An iteration is one
// ruin with its repair. Its parts and their data structures: docs/search.md.
#pragma once

#include "reprise/plan/planner_record.h"

namespace reprise::plan {

PlannerRecord search_record();

// Iterations if the request names none: a few seconds up to 50,000 ops.
std::int64_t default_search_iterations(const Program& program);

}  // namespace reprise::plan
