// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/two_level.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/chain/execute.h"

namespace reprise::plan {
namespace {

TEST(Multistage, TakesTheCountsOfThePublishedImplementation) {
  const ChainCounts counts =
      execute({.steps = 100, .capacities = {2, 3}}, multistage_actions(100, 2, 3));

  EXPECT_EQ(counts.forward_steps, 416);
  EXPECT_EQ(counts.levels[1].writes, 13);
  EXPECT_EQ(counts.levels[1].reads, 32);
}

TEST(Multistage, PutsTheBusiestPlacesOfTheStackInMemory) {
  // State 0 is written once and read twice; states 3 and 1, one after the other in the other place,
  // are written twice and read three times.
  EXPECT_EQ(text(multistage_actions(6, 1, 1, Split::kMaximum)),
            "snapshot 0 in level 1, advance 0-3, snapshot 3, advance 3-5, turn 5, restore 3, "
            "advance 3-4, turn 4, restore 3, discard 3, turn 3, restore 0 in level 1, advance 0-1, "
            "snapshot 1, advance 1-2, turn 2, restore 1, discard 1, turn 1, restore 0 in level 1, "
            "discard 0 in level 1, turn 0");
}

TEST(Multistage, TakesAsManyStepsAsRevolveHoweverTheRoomIsSpread) {
  for (std::int64_t memory = 0; memory <= 5; ++memory) {
    SCOPED_TRACE(memory);
    const ChainCounts counts = execute({.steps = 50, .capacities = {memory, 5 - memory}},
                                       multistage_actions(50, memory, 5 - memory));
    EXPECT_EQ(counts.forward_steps, 172);
  }
}

TEST(PeriodicBinomial, TakesTheCountsOfThePublishedImplementation) {
  // 100 steps on the way to the end, then 10 periods of 10 + t(10, 6) = 22.
  const ChainCounts counts = execute({.steps = 100, .capacities = {5, kUnlimited}},
                                     periodic_binomial_actions(100, 10, 5, Split::kMaximum));

  EXPECT_EQ(counts.forward_steps, 320);
  EXPECT_EQ(counts.levels[1].writes, 10);
  EXPECT_EQ(counts.levels[1].reads, 30);
}

TEST(PeriodicBinomial, ReadsTheDiskLessOftenWithRevolvesOwnSplits) {
  const ChainCounts counts = execute({.steps = 100, .capacities = {5, kUnlimited}},
                                     periodic_binomial_actions(100, 10, 5, Split::kRevolve));

  EXPECT_EQ(counts.forward_steps, 320);
  EXPECT_EQ(counts.levels[1].writes, 10);
  EXPECT_EQ(counts.levels[1].reads, 20);
}

TEST(PeriodicBinomial, IsValidForEveryShortChain) {
  for (std::int64_t steps = 1; steps <= 30; ++steps) {
    for (std::int64_t period = 1; period <= 31; period += 5) {
      SCOPED_TRACE(testing::Message() << steps << " steps by " << period);
      const ChainCounts counts = execute({.steps = steps, .capacities = {2, kUnlimited}},
                                         periodic_binomial_actions(steps, period, 2));
      EXPECT_EQ(counts.levels[1].writes, (steps + period - 1) / period);
    }
  }
}

TEST(PeriodicBinomial, ManagesWithTheDiskAlone) {
  EXPECT_EQ(text(periodic_binomial_actions(3, 2, 0)),
            "snapshot 0 in level 1, advance 0-2, snapshot 2 in level 1, advance 2-3, "
            "restore 2 in level 1, discard 2 in level 1, turn 2, restore 0 in level 1, "
            "advance 0-1, turn 1, restore 0 in level 1, discard 0 in level 1, turn 0");
}

TEST(TwoLevel, RejectsImpossibleInput) {
  EXPECT_THROW(multistage_actions(5, 0, 0), std::invalid_argument);
  EXPECT_THROW(multistage_actions(5, -1, 3), std::invalid_argument);
  EXPECT_THROW(periodic_binomial_actions(5, 0, 1), std::invalid_argument);
  EXPECT_THROW(periodic_binomial_actions(5, 1, -1), std::invalid_argument);
}

}  // namespace
}  // namespace reprise::plan
