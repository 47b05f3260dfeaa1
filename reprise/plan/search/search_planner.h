// SPDX-License-Identifier: Apache-2.0
// The planner `search`: any program, in seconds up to 50,000 ops.
// tests/plan/search/recorded_test.cpp holds it to the overheads of recorded programs and to the
// optimum of small ones.
//
// Seeds (seeds.h) are shaved to the budget; if none fits, the best are brought down further; then
// ruin and recreate improves the best of them, and in the end the best of all. An iteration is one
// ruin with its repair. Its parts and their data structures: docs/search.md.
#pragma once

#include "reprise/plan/planner_record.h"

namespace reprise::plan {

PlannerRecord search_record();

// Iterations if the request names none: a few seconds up to 50,000 ops.
std::int64_t default_search_iterations(const Program& program);

}  // namespace reprise::plan
