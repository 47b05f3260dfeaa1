// SPDX-License-Identifier: Apache-2.0
// Drafts of schedules: a step cut into several numbers of blocks, each solved as a chain of them
// for several budgets (block_rotor.h).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"
#include "reprise/plan/search/keep_cut.h"

namespace reprise::plan {

struct BlockDrafts {
  std::vector<int> block_counts;
  // Budgets of the chain, as shares of the step's: the chain leaves some bytes out and counts
  // others twice. Ascending.
  std::vector<double> shares;
  std::int64_t units = 200;  // of memory, in rotor's table
};

// Calls `offer` with the replays of each draft and the number of its blocks, until it refuses; a
// number of blocks that the step does not yield is left out. False if it refused.
bool offer_block_drafts(const Program& program, std::int64_t budget_bytes,
                        const BlockDrafts& drafts, KeepCut& cut,
                        const std::function<bool(std::vector<Replays>, int)>& offer);

}  // namespace reprise::plan
