// SPDX-License-Identifier: Apache-2.0
// The planner `auto`: looks at a program, asks the planners that suit it, and says which and why.
#pragma once

#include "reprise/plan/planner_record.h"

namespace reprise::plan {

// keep_all if that fits; else exact, for programs that are small enough; else search, and for
// chains rotor too: the better answer wins. If exact has proved nothing after a million steps (a
// second; fewer if the request has fewer iterations), search is asked as well.
//
// The smallest budget that is met is the lowest peak of the same planners' answers to the floor,
// for every budget of a request with the same seed and iterations: a budget below it is refused and
// one above it is not, unless a time limit or the caller stops it.
//
// Every other planner gets the request's seed and iterations (what an iteration is, that planner
// says); each gets what is left of the time. The iterations of all are added up.
PlannerRecord auto_record();

}  // namespace reprise::plan
