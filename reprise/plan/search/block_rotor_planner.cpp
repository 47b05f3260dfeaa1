// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/block_rotor_planner.h"

#include <array>
#include <string>
#include <vector>

#include "reprise/plan/candidates.h"
#include "reprise/plan/search/block_rotor.h"
#include "reprise/plan/unread_replays.h"

namespace reprise::plan {
namespace {

constexpr std::array<int, 7> kBlockCounts = {4, 8, 12, 16, 24, 48, 96};
// Budgets of the chain, as shares of the step's: the chain counts some bytes twice, others not.
constexpr std::array<double, 14> kShares = {0.2, 0.35, 0.5, 0.6,  0.7, 0.78, 0.86,
                                            0.9, 0.93, 1,   1.05, 1.1, 1.25, 1.5};
constexpr std::int64_t kUnits = 250;

class BlockRotor : public Planner {
 public:
  std::optional<PlannerAnswer> find(const Program& program,
                                    const PlanRequest& request) const override {
    Candidates candidates(program, request,
                          1 + static_cast<std::int64_t>(kBlockCounts.size() * kShares.size()));
    bool goes_on = candidates.offer({});
    candidates.describe_last("everything is kept");
    if (candidates.last_fits() || program.uses.empty()) {
      return candidates.answer();
    }
    const auto bytes_of = [&](double share) {
      return static_cast<std::int64_t>(share * static_cast<double>(request.budget_bytes));
    };
    KeepCut cut(program, 0);
    int last_count = 0;
    for (std::size_t i = 0; goes_on && i < kBlockCounts.size(); ++i) {
      const BlockChain chain =
          make_block_chain(program, find_blocks(program, kBlockCounts[i]), cut);
      if (chain.blocks.count() == last_count) {
        continue;
      }
      last_count = chain.blocks.count();
      const RotorTable table(chain.chain, bytes_of(kShares.back()), kUnits);
      for (std::size_t k = 0; goes_on && k < kShares.size(); ++k) {
        if (const std::optional<RotorPlan> plan = table.plan(bytes_of(kShares[k]))) {
          goes_on = candidates.offer(without_unread(program, lower(program, chain, plan->actions)));
          candidates.describe_last(std::to_string(last_count) + " blocks");
        }
      }
    }
    return candidates.answer();
  }
};

}  // namespace

PlannerRecord block_rotor_record() {
  return record_of<BlockRotor>("block_rotor",
                               "blocks of any program as a chain, and rotor over them");
}

}  // namespace reprise::plan
