// SPDX-License-Identifier: Apache-2.0
// From "which values stay" to a schedule: how the rules are lowered to replays.
#pragma once

#include <vector>

#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"

namespace reprise::plan {

// Whether a replay can bring the value back.
bool is_rebuildable(const Program& program, int value);

// Rebuilds each value that does not stay just before the first use that needs it, after what its
// recipe reads and that does not stay either; each recipe runs at most once. A value stays if
// `stays[value]`, and also if nothing can rebuild it or user code holds it anyway, which is free.
//
// REQUIRES: `program` has no fault, `stays` has an entry per value. O(size of the program).
std::vector<Replays> rebuild_lazily(const Program& program, const std::vector<bool>& stays);

}  // namespace reprise::plan
