// SPDX-License-Identifier: Apache-2.0
// Leaves out of a list of replays those that make nothing that anybody reads.
#pragma once

#include <vector>

#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"

namespace reprise::plan {

// The same replays, less each one whose outputs are made again or never wanted before a replay that
// stays, or a use, reads them. Neither the peak nor the time of what is left is higher.
// REQUIRES: a schedule of these replays has no fault. O(size of program and replays).
std::vector<Replays> without_unread(const Program& program, std::vector<Replays> replays);

}  // namespace reprise::plan
