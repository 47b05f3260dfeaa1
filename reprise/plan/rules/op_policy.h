// SPDX-License-Identifier: Apache-2.0
// Keeps or rebuilds values by the name of the op that made them.
#pragma once

#include "reprise/plan/planner_record.h"

namespace reprise::plan {

// Options, lists of recipe names such as `aten::gelu,aten::mm`:
//   recompute: what these recipes make is rebuilt, everything else stays.
//   save:      what these recipes make stays, everything else is rebuilt.
// With both lists a name in neither stays; with neither list nothing is dropped. A name that no
// recipe of the program has, or that is in both lists, is refused. A recipe of several ops has the
// name of the last one.
PlannerRecord op_policy_record();

}  // namespace reprise::plan
