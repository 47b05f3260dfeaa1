// SPDX-License-Identifier: Apache-2.0
// From plans for chains to programs and schedules: the one mapping between the two languages.
//
// The chain's side counts every forward evaluation and every byte. On the program's side:
//  - Forward runs each stage once, whatever the plan; that is part of the step. Only a further
//    evaluation is a replay, so replays = forward_steps - steps (for revolve: its advances).
//  - A stage is one op, one recipe and one use. Its recipe makes the state after it and the rest of
//    its record (saved_bytes - output_bytes), if there is any, at once: an advance makes the rest
//    too and drops it. A chain says the same if a stage's transient_bytes include that rest.
//  - A use needs the state before its stage, the state after it and the rest.
//  - Nothing is stored or discarded: a value stays for as long as something reads it, never longer
//    than the plan holds it, except that a stored record keeps the state before its stage as well.
//  - The input is external and not counted; there is no gradient before backward begins.
// So simulate() finds at most simulate_chain()'s peak less the input, if transient_bytes include
// the rest, and recompute_us is the time of the plan less that of a step with everything kept.
#pragma once

#include <vector>

#include "reprise/plan/chain/stage_chain.h"
#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"

namespace reprise::plan {

// Value i is state i, recipe i and op i are stage i, use i is the i-th reverse: that of stage
// stages - 1 - i. The rests follow the states.
// Throws std::invalid_argument unless the chain is valid and each stage has one option whose
// forward takes as long as the stage's own: a recipe has one cost.
Program program_of(const Chain& chain);

// The evaluations of `actions` beyond each step's first, before the use that they precede.
// REQUIRES: the actions are valid (execute.h).
// Throws std::invalid_argument if they name a step outside [0, steps) or an option but the first.
Schedule schedule_of(std::int64_t steps, const std::vector<Action>& actions);

}  // namespace reprise::plan
