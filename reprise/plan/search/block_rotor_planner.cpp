// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/block_rotor_planner.h"

#include <string>
#include <utility>
#include <vector>

#include "reprise/plan/candidates.h"
#include "reprise/plan/search/block_drafts.h"
#include "reprise/plan/unread_replays.h"

namespace reprise::plan {
namespace {

class BlockRotor : public Planner {
 public:
  std::optional<PlannerAnswer> find(const Program& program,
                                    const PlanRequest& request) const override {
    const BlockDrafts drafts{
        .block_counts = {4, 8, 12, 16, 24, 48, 96},
        .shares = {0.2, 0.35, 0.5, 0.6, 0.7, 0.78, 0.86, 0.9, 0.93, 1, 1.05, 1.1, 1.25, 1.5},
        .units = 250};
    Candidates candidates(
        program, request,
        1 + static_cast<std::int64_t>(drafts.block_counts.size() * drafts.shares.size()));
    const bool goes_on = candidates.offer({});
    candidates.describe_last("everything is kept");
    if (!goes_on || candidates.last_fits() || program.uses.empty()) {
      return candidates.answer();
    }
    KeepCut cut(program, 0);
    offer_block_drafts(
        program, request.budget_bytes, drafts, cut, [&](std::vector<Replays> replays, int count) {
          const bool may_go_on = candidates.offer(without_unread(program, std::move(replays)));
          candidates.describe_last(std::to_string(count) + " blocks");
          return may_go_on;
        });
    return candidates.answer();
  }
};

}  // namespace

PlannerRecord block_rotor_record() {
  return record_of<BlockRotor>("block_rotor",
                               "blocks of any program as a chain, and rotor over them");
}

}  // namespace reprise::plan
