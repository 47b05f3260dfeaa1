// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/online.h"

#include <map>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/chain/binomial.h"
#include "reprise/plan/chain/execute.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;

using Row = std::vector<std::int64_t>;

// The first states that are held at levels 1 to 5.
Row first_states_of_levels(std::int64_t capacity) {
  OnlineSnapshots online(capacity);
  Row first;
  while (first.size() < 6) {
    online.take_next();
    if (online.held().back().level == std::ssize(first)) {
      first.push_back(online.held().back().state);
    }
  }
  return {first.begin() + 1, first.end()};
}

ChainCounts run(std::int64_t steps, std::int64_t snapshots) {
  return execute({.steps = steps, .capacities = {snapshots}}, online_actions(steps, snapshots));
}

Row advances_of(std::int64_t snapshots) {
  Row row;
  for (const std::int64_t steps : {10, 20, 50, 100, 200}) {
    row.push_back(run(steps, snapshots).advanced_steps);
  }
  return row;
}

TEST(OnlineSnapshots, ReachEachLevelAtTheLongestChainOfSoManyRepeats) {
  EXPECT_THAT(first_states_of_levels(2), ElementsAre(3, 6, 10, 15, 21));
  EXPECT_THAT(first_states_of_levels(3), ElementsAre(4, 10, 20, 35, 56));
  EXPECT_THAT(first_states_of_levels(4), ElementsAre(5, 15, 35, 70, 126));
  EXPECT_THAT(first_states_of_levels(5), ElementsAre(6, 21, 56, 126, 252));
}

TEST(OnlineSnapshots, ReplaceADispensableStateBeforeTheNewest) {
  OnlineSnapshots online(2);

  EXPECT_EQ(online.take_next(), 0);  // 1 and 2 find room
  EXPECT_EQ(online.take_next(), 0);
  EXPECT_EQ(online.take_next(), 2);  // the newest, as nothing is dispensable
  EXPECT_EQ(online.take_next(), 1);  // below level 1 of state 3
  EXPECT_THAT(online.held(), ElementsAre(OnlineState{.state = 3, .level = 1},
                                         OnlineState{.state = 4, .level = 0}));
}

TEST(Online, TakesLittleMoreThanRevolve) {
  // 10, 20, 50, 100, 200 steps; revolve takes 15 45 180 490 1305, 13 33 122 316 790 and
  // 10 30 95 245 580.
  EXPECT_THAT(advances_of(3), ElementsAre(18, 53, 208, 540, 1431));
  EXPECT_THAT(advances_of(5), ElementsAre(14, 43, 142, 343, 818));
  EXPECT_THAT(advances_of(8), ElementsAre(11, 31, 118, 252, 625));
}

TEST(Online, IsValidAndNeverBeatsRevolve) {
  for (std::int64_t steps = 1; steps <= 60; ++steps) {
    for (std::int64_t snapshots = 2; snapshots <= 8; ++snapshots) {
      SCOPED_TRACE(testing::Message() << steps << " steps, " << snapshots << " snapshots");
      EXPECT_GE(run(steps, snapshots).advanced_steps, revolve_advances(steps, snapshots));
    }
  }
}

TEST(Online, RejectsImpossibleInput) {
  EXPECT_THROW(OnlineSnapshots(0), std::invalid_argument);
  EXPECT_THROW(online_actions(0, 2), std::invalid_argument);
  EXPECT_THROW(online_actions(5, 1), std::invalid_argument);
}

}  // namespace
}  // namespace reprise::plan
