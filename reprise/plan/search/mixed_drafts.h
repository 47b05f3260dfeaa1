// SPDX-License-Identifier: Apache-2.0
// A good plan at once, for whoever has no time for more: two choices of what to keep, one for the
// first part of the step and one for the rest, so that together they use the budget up.
#pragma once

#include <cstdint>
#include <functional>

#include "reprise/plan/candidates.h"
#include "reprise/plan/program.h"

namespace reprise::plan {

// What a step keeps at a price per byte (keep_cut.h) jumps where whole layers change their minds;
// the budget lies between. Of choices at prices around that of the bound, alone and with the
// boundaries of blocks kept, takes one that fits and one that is cheaper and does not; the share of
// the step that can keep the cheaper one is bisected. The part of it that fits is the last part of
// forward: what the first part rebuilds comes when the rest has gone.
//
// `offer` gets each schedule that fits, a good one after about ten prices. `go_on()` is asked
// before each step of the way; false ends it. Nothing is offered if the bound has no price.
// REQUIRES: the program has a use. Some dozens of O(size) and of minimum cuts.
void offer_mixed_drafts(const Program& program, std::int64_t budget_bytes,
                        const std::function<bool()>& go_on,
                        const std::function<void(JudgedSchedule)>& offer);

}  // namespace reprise::plan
