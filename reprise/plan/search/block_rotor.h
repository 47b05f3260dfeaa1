// SPDX-License-Identifier: Apache-2.0
// Schedules from the chain that a step is when its blocks are the stages: rotor (chain/rotor.h)
// decides which boundaries and records are kept, and which blocks run again how often. Its table
// solves equal stretches of blocks once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reprise/plan/chain/rotor.h"
#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"
#include "reprise/plan/search/blocks.h"
#include "reprise/plan/search/keep_cut.h"

namespace reprise::plan {

// A step as a chain. It is a rough picture: values that cross several boundaries count once per
// boundary kept, and what a use allocates is left out. So the peak of what comes of it has to be
// judged by simulate(), and shaved.
struct BlockChain {
  Blocks blocks;
  Chain chain;
  // Per block and option: the values that its record keeps beside the state after the block.
  std::vector<std::vector<std::vector<int>>> kept;
};

// An option keeps what uses need of the block: all of it, what minimum cuts at some prices keep, or
// nothing; the rest runs again in the block's backward.
BlockChain make_block_chain(const Program& program, Blocks blocks, KeepCut& cut);

// The replays that carry out a plan for the chain. REQUIRES: `actions` are valid for it.
std::vector<Replays> lower(const Program& program, const BlockChain& chain,
                           const std::vector<Action>& actions);

}  // namespace reprise::plan
