// SPDX-License-Identifier: Apache-2.0
// The schedule that rebuilds each dropped value once, as late as possible.
#pragma once

#include <vector>

#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"

namespace reprise::plan {

// Per recipe in `is_dropped` (true: its outputs are not kept for backward): it runs once, just before
// the first use that needs one of its outputs, or before the first dropped recipe that reads one,
// whichever comes first; dropped inputs before it, depth first. What it made stays until its last
// reading. Recipes that nothing needs, or that must not run again, do not run. O(size).
Schedule rebuild_lazily(const Program& program, const std::vector<bool>& is_dropped);

}  // namespace reprise::plan
