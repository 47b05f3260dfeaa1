// SPDX-License-Identifier: Apache-2.0
// From a program that is a chain to the chain: lower.h's mapping the other way round, for programs
// that were recorded or written by hand.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reprise/plan/chain/stage_chain.h"
#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"

namespace reprise::plan {

// A program's stages. A stage is one recipe that makes something that backward needs, after the
// recipes that only lead to it.
struct ProgramChain {
  // One option per stage: keep what backward needs of it. The picture is rough where the program's
  // background is not the gradients of the two states around a use, so what comes of it is to be
  // judged by simulate(). Nothing that is always there is counted: `input_bytes` is 0.
  Chain chain;
  std::vector<std::vector<int>> recipes;  // per stage, in the order in which they run
  // The stage whose reverse the use is part of; never ascending. A use that needs nothing but the
  // state after a stage belongs to the next one, so that a state that is held need not be made
  // again for it.
  std::vector<int> stage_of_use;
};

struct ChainAnswer {
  std::optional<ProgramChain> chain;
  std::string why_not;  // if there is none
};

// The chain that the program is, if each recipe that backward may want can run again and reads
// exactly what the one before it makes, and each use needs only what its stage makes and reads,
// the last stage's use first. External values and those that user code holds are always there, so
// anybody may read them; recipes whose outputs nobody wants are no part of the chain.
// REQUIRES: `program` has no fault. O(size * log(recipes)).
ChainAnswer chain_of(const Program& program);

// For PlannerRecord::applies: why the program is no chain of at most `most_stages` stages.
std::optional<std::string> why_not_chain(const Program& program, std::size_t most_stages);

// The replays that carry out a plan for the chain, without those that nobody reads.
// REQUIRES: `actions` are valid for the chain and name no option but the first.
std::vector<Replays> replays_of(const Program& program, const ProgramChain& chain,
                                const std::vector<Action>& actions);

}  // namespace reprise::plan
