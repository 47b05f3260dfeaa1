// SPDX-License-Identifier: Apache-2.0
// A step cut into blocks where little crosses from one part of forward to the next.
#pragma once

#include <cstdint>
#include <vector>

#include "reprise/plan/program.h"

namespace reprise::plan {

struct Blocks {
  // Block b is made of the ops in (ends[b - 1], ends[b]]; the last one ends with forward.
  std::vector<std::int64_t> ends;
  std::vector<int> of_recipe;  // the block in which its last output is made
  std::vector<int> of_use;     // the latest block that it needs values of; never ascending
  // Per boundary between block b and b + 1: the values made before it that recipes after it read.
  // Neither external nor held ones: those are always there.
  std::vector<std::vector<int>> crossing;

  int count() const { return static_cast<int>(ends.size()); }
};

// At most `count` blocks of about equal bytes needed by backward, each boundary at the narrowest
// op near its even place; fewer if there are fewer such ops. REQUIRES: count > 0. O(size).
Blocks find_blocks(const Program& program, int count);

// Per value: true if it need not be rebuilt in a plan that keeps what crosses the boundaries and
// nothing else (rebuild.h).
std::vector<bool> boundaries_stay(const Program& program, const Blocks& blocks);

}  // namespace reprise::plan
