// SPDX-License-Identifier: Apache-2.0
// The program of a recorded pass with the costs that later passes showed: the first step of a
// process is slow (memory is touched for the first time, libraries set themselves up), and a replay
// takes a little more than its ops did in forward.
#pragma once

#include <vector>

#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"
#include "reprise/tape/pass_meter.h"

namespace reprise::profile {

// `times`: of passes that followed `schedule`, at least one, with the time of each op. Costs of ops
// are medians over the passes. What all replays took above that is shared by the ops that were
// replayed, and added to the cost of every op: the executor's own, and that of caches that have
// other things in them by then.
plan::Program retimed_program(const plan::Program& program, const plan::Schedule& schedule,
                              const std::vector<tape::PassTimes>& times);

}  // namespace reprise::profile
