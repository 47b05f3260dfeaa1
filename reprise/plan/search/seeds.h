// SPDX-License-Identifier: Apache-2.0
// Schedules that local search starts from. No single kind is enough: cuts are nearly optimal with
// room to spare, blocks and their rotor near the floor and for recurrent networks, and shaving what
// keeps everything in between.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "reprise/plan/candidates.h"
#include "reprise/plan/program.h"
#include "reprise/plan/search/random.h"

namespace reprise::plan {

// Shaved to `budget_bytes` as far as each goes, pruned, the best first: those that fit by cost,
// then the others by peak. At least one. `go_on()` is asked before each draft
// and each shave, and within the shaves; false stops with the drafts and shaves so far. So does the
// first peak of at most `enough_bytes`.
std::vector<JudgedSchedule> find_seeds(const Program& program, std::int64_t budget_bytes,
                                       Random& random, const std::function<bool()>& go_on,
                                       std::int64_t enough_bytes = -1);

// What keeps only the boundaries of blocks, for several numbers of them: drafts that no budget
// decides on. `offer` gets each; false ends them, and is returned.
bool offer_boundary_drafts(const Program& program,
                           const std::function<bool(std::vector<Replays>)>& offer);

}  // namespace reprise::plan
