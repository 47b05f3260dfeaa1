// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/block_drafts.h"

#include <optional>
#include <utility>

#include "reprise/plan/search/block_rotor.h"

namespace reprise::plan {

bool offer_block_drafts(const Program& program, std::int64_t budget_bytes,
                        const BlockDrafts& drafts, KeepCut& cut,
                        const std::function<bool(std::vector<Replays>, int)>& offer) {
  const auto bytes_of = [&](double share) {
    return static_cast<std::int64_t>(share * static_cast<double>(budget_bytes));
  };
  int last_count = 0;
  for (const int wanted : drafts.block_counts) {
    Blocks blocks = find_blocks(program, wanted);
    const int count = blocks.count();
    if (std::exchange(last_count, count) == count) {
      continue;
    }
    const BlockChain chain = make_block_chain(program, std::move(blocks), cut);
    const RotorTable table(chain.chain, bytes_of(drafts.shares.back()) + 1, drafts.units);
    for (const double share : drafts.shares) {
      const std::optional<RotorPlan> plan = table.plan(bytes_of(share));
      if (plan && !offer(lower(program, chain, plan->actions), count)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace reprise::plan
