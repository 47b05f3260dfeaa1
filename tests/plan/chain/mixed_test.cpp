// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/mixed.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/chain/binomial.h"
#include "reprise/plan/chain/execute.h"
#include "tests/plan/chain/brute_force.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;

using Row = std::vector<std::int64_t>;

Row forward_steps_of(std::int64_t steps) {
  Row row;
  for (const std::int64_t capacity : {1, 2, 3, 4, 5, 6, 7, 8, 10, 20}) {
    row.push_back(mixed_forward_steps(steps, capacity));
  }
  return row;
}

ChainCounts run(std::int64_t steps, std::int64_t capacity) {
  return execute({.steps = steps, .capacities = {capacity}}, mixed_actions(steps, capacity));
}

TEST(Mixed, HasMaddisonsForwardSteps) {
  // Capacity 1, 2, 3, 4, 5, 6, 7, 8, 10, 20.
  EXPECT_THAT(forward_steps_of(5), ElementsAre(14, 8, 7, 5, 5, 5, 5, 5, 5, 5));
  EXPECT_THAT(forward_steps_of(10), ElementsAre(54, 26, 19, 17, 15, 14, 13, 12, 10, 10));
  EXPECT_THAT(forward_steps_of(20), ElementsAre(209, 79, 55, 46, 38, 36, 34, 33, 30, 20));
  EXPECT_THAT(forward_steps_of(50), ElementsAre(1274, 325, 209, 164, 138, 126, 116, 105, 94, 81));
  EXPECT_THAT(forward_steps_of(100),
              ElementsAre(5049, 931, 554, 421, 352, 311, 278, 263, 237, 184));
}

TEST(Mixed, RunsEachStepOnceIfAllRecordsButTheLastFit) {
  EXPECT_EQ(text(mixed_actions(3, 2)),
            "record 0 in level 0, record 1 in level 0, turn 2, reverse 1 in level 0, "
            "reverse 0 in level 0");
}

TEST(Mixed, TurnsTheRoomOfAStateIntoThatOfARecord) {
  // With room for one thing: the state first, a record once two steps are left.
  EXPECT_EQ(text(mixed_actions(3, 1)),
            "snapshot 0, advance 0-2, turn 2, restore 0, discard 0, record 0 in level 0, turn 1, "
            "reverse 0 in level 0");
}

TEST(Mixed, HasValidSchedulesThatTakeWhatWasPredicted) {
  for (std::int64_t steps = 1; steps <= 40; ++steps) {
    for (std::int64_t capacity = 1; capacity <= 8; ++capacity) {
      SCOPED_TRACE(testing::Message() << steps << " steps, capacity " << capacity);
      EXPECT_EQ(run(steps, capacity).forward_steps, mixed_forward_steps(steps, capacity));
    }
  }
  EXPECT_EQ(run(100, 5).forward_steps, 352);
}

TEST(Mixed, EqualsBruteForceOnShortChains) {
  for (int steps = 1; steps <= 6; ++steps) {
    for (int capacity = 1; capacity <= 3; ++capacity) {
      SCOPED_TRACE(testing::Message() << steps << " steps, capacity " << capacity);
      EXPECT_EQ(static_cast<double>(mixed_forward_steps(steps, capacity)),
                brute_force({.steps = steps,
                             .levels = {{.capacity = capacity}},
                             .can_store_records = true,
                             .turn = 1}));
    }
  }
}

TEST(Mixed, NeverTakesMoreStepsThanRevolve) {
  for (std::int64_t steps = 1; steps <= 60; ++steps) {
    for (std::int64_t capacity = 1; capacity <= 6; ++capacity) {
      SCOPED_TRACE(testing::Message() << steps << " steps, capacity " << capacity);
      EXPECT_LE(mixed_forward_steps(steps, capacity), steps + revolve_advances(steps, capacity));
    }
  }
}

TEST(Mixed, RejectsImpossibleInput) {
  EXPECT_THROW(mixed_forward_steps(0, 1), std::invalid_argument);
  EXPECT_THROW(mixed_actions(3, 0), std::invalid_argument);
}

}  // namespace
}  // namespace reprise::plan
