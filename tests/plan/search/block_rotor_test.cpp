// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/block_rotor.h"

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/chain/actions.h"
#include "reprise/plan/peak_floor.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/complaints.h"
#include "tests/plan/random_program.h"
#include "tests/plan/search/schedule_of.h"
#include "tests/plan/small_programs.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Four ops of 1 us that make 8 bytes each, a block each.
Program chain_of_four() { return chain_program({8, 8, 8, 8}, {1, 1, 1, 1}); }

BlockChain block_chain(const Program& program, int blocks) {
  KeepCut cut(program, 0);
  return make_block_chain(program, find_blocks(program, blocks), cut);
}

TEST(BlockChain, HasAStageForEachBlock) {
  const Program program = chain_of_four();
  const BlockChain chain = block_chain(program, 4);
  ASSERT_EQ(chain.chain.stages.size(), 4);
  EXPECT_EQ(chain.chain.stages[0].forward_us, 1);
  EXPECT_EQ(chain.chain.stages[0].output_bytes, 8);
  EXPECT_EQ(chain.chain.stages[3].output_bytes, 0);  // nothing is read after the last block
}

TEST(BlockChain, OffersToKeepAllThatIsNeededFirstAndNothingLast) {
  const Program program = chain_of_four();
  const BlockChain chain = block_chain(program, 4);
  EXPECT_THAT(chain.kept[3].front(), ElementsAre(3));
  EXPECT_THAT(chain.kept[3].back(), IsEmpty());
  const std::vector<StageOption>& options = chain.chain.stages[3].options;
  ASSERT_EQ(options.size(), chain.kept[3].size());
  EXPECT_EQ(options.front().saved_bytes, 8);
  EXPECT_EQ(options.front().backward_us, 0);
  EXPECT_EQ(options.back().saved_bytes, 0);
  EXPECT_EQ(options.back().backward_us, 1);  // its recipe runs again in its backward
}

TEST(BlockChain, AlwaysKeepsWhatNothingCanRebuild) {
  Program program = chain_of_four();
  program.recipes[3].replayable = false;
  EXPECT_THAT(block_chain(program, 4).kept[3].back(), ElementsAre(3));
}

TEST(LowerBlocks, ReplaysNothingIfEveryRecordIsKept) {
  const Program program = chain_of_four();
  EXPECT_THAT(lower(program, block_chain(program, 4),
                    {record(0, 0), record(1, 0), record(2, 0), record(3, 0), reverse(3, 0),
                     reverse(2, 0), reverse(1, 0), reverse(0, 0)}),
              IsEmpty());
}

TEST(LowerBlocks, RunsEverythingFromTheStartAgainForEachBlockIfNothingIsKept) {
  const Program program = chain_of_four();
  // 3 + 2 + 1 replays.
  EXPECT_THAT(lower(program, block_chain(program, 4),
                    {snapshot(0), advance(0, 3), record(3), reverse(3), restore(0), advance(0, 2),
                     record(2), reverse(2), restore(0), advance(0, 1), record(1), reverse(1),
                     restore(0), discard(0), record(0), reverse(0)}),
              ElementsAre(Replays{.before_use = 1, .recipes = {0, 1, 2}},
                          Replays{.before_use = 2, .recipes = {0, 1}},
                          Replays{.before_use = 3, .recipes = {0}}));
}

TEST(LowerBlocks, RunsASegmentOnceFromTheStateThatIsKept) {
  const Program program = chain_of_four();
  // State 2, which is value 1, is kept; blocks 0 and 1 are recorded when their turn comes.
  EXPECT_THAT(lower(program, block_chain(program, 4),
                    {snapshot(0), advance(0, 2), snapshot(2), record(2, 0), record(3), reverse(3),
                     reverse(2, 0), discard(2), restore(0), discard(0), record(0, 0), record(1),
                     reverse(1), reverse(0, 0)}),
              ElementsAre(Replays{.before_use = 2, .recipes = {0, 1}}));
}

TEST(LowerBlocks, RunsWhatARecordLeavesOutJustBeforeItsUse) {
  const Program program = chain_of_four();
  const BlockChain chain = block_chain(program, 4);
  const int nothing = static_cast<int>(chain.kept[3].size()) - 1;
  EXPECT_THAT(lower(program, chain,
                    {record(0, 0), record(1, 0), record(2, 0), record(3, 0, nothing), reverse(3, 0),
                     reverse(2, 0), reverse(1, 0), reverse(0, 0)}),
              ElementsAre(Replays{.before_use = 0, .recipes = {3}}));
}

TEST(LowerBlocks, CarriesOutWhatRotorPlansForFourBlocks) {
  // Four records of 8 bytes and, as the chain counts it, a gradient of 8: 40 keep everything. With
  // a record less, state 2 is kept and blocks 0 and 1 run once more: two replays.
  const Program program = chain_of_four();
  const BlockChain chain = block_chain(program, 4);
  const RotorTable table(chain.chain, 40, 40);
  EXPECT_THAT(lower(program, chain, table.plan(40)->actions), IsEmpty());
  const std::vector<Replays> replays = lower(program, chain, table.plan(32)->actions);
  EXPECT_THAT(replays, ElementsAre(Replays{.before_use = 2, .recipes = {0, 1}}));
  // Forward and backward hold two values at a time; the gradient is not in this program.
  EXPECT_EQ(simulate(program, schedule_of(replays)).peak_bytes, 16);
}

std::vector<std::string> check(unsigned seed) {
  std::mt19937 random(seed);
  const Program program = random_program(random, 20);
  const int blocks = std::uniform_int_distribution(1, 8)(random);
  const BlockChain chain = block_chain(program, blocks);
  const std::int64_t keep_all = simulate_keep_all(program).peak_bytes;
  const RotorTable table(chain.chain, 2 * keep_all + 1, 100);
  Complaints wrong;
  for (const std::int64_t percent : {20, 40, 60, 80, 100, 200}) {
    const std::optional<RotorPlan> plan = table.plan(keep_all * percent / 100);
    if (!plan) {
      continue;
    }
    wrong.set_place(std::to_string(percent) + " %");
    const Schedule schedule = schedule_of(lower(program, chain, plan->actions));
    wrong.unless(!find_fault(program, schedule), "the schedule has a fault");
  }
  return wrong.list();
}

TEST(LowerBlocks, GivesValidSchedulesOfRandomPrograms) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    EXPECT_THAT(check(seed), IsEmpty());
  }
}

}  // namespace
}  // namespace reprise::plan
