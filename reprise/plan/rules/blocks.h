// SPDX-License-Identifier: Apache-2.0
// Plans that cut the forward pass into blocks, keep what crosses a cut, and rebuild the inside of a
// block when backward first needs it: what every segment rule has in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reprise/plan/planner.h"
#include "reprise/plan/program.h"
#include "reprise/plan/segments.h"

namespace reprise::plan {

// The recipes as forward runs them: by the op that makes their last output.
std::vector<int> forward_order(const Program& program);

// Blocks of consecutive recipes of forward_order(): block b is [ends[b - 1], ends[b]).
struct BlockCut {
  std::vector<std::size_t> ends;  // ascending, the last is the number of recipes
  std::string name;               // for people: "every 4 recipes"
};

// Per value whether it stays: it is read by another block than its own, or by a use that has to
// wait for a later block anyway. kPlain: all of the last block stays too.
std::vector<bool> values_that_stay(const Program& program, const std::vector<int>& order,
                                   const BlockCut& cut, LastSegment last);

// At most `blocks` blocks whose sums of `weights`, one per recipe in forward order, are about
// equal: each cut is where the running sum is nearest to its share. Fewer where one recipe is worth
// several shares. REQUIRES: weights are finite and >= 0, blocks > 0. O(recipes).
BlockCut cut_evenly(const std::vector<double>& weights, std::size_t blocks);

// Numbers worth trying between 1 and `most`: all small ones, then each about a sixth larger.
std::vector<std::int64_t> numbers_to_try(std::int64_t most);

// A planner that tries some cuts, each with a plain last block and without, and keeps the best.
class BlockPlanner : public Planner {
 public:
  std::optional<PlannerAnswer> find(const Program& program,
                                    const PlanRequest& request) const override;

 private:
  // The cuts to try. REQUIRES: `order` is forward_order(program) and not empty.
  virtual std::vector<BlockCut> cuts(const Program& program, const std::vector<int>& order,
                                     const PlanRequest& request) const = 0;
};

}  // namespace reprise::plan
