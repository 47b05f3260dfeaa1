// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/h_revolve.h"

#include <limits>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/chain/binomial.h"
#include "reprise/plan/chain/execute.h"
#include "tests/plan/chain/brute_force.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;

std::vector<StorageLevel> memory_and_disk(std::int64_t memory, std::int64_t disk) {
  return {{.capacity = memory}, {.capacity = disk, .write_us = 2, .read_us = 2}};
}

ChainCounts run(std::int64_t steps, const std::vector<StorageLevel>& levels,
                const std::vector<Action>& actions) {
  ChainRules rules{.steps = steps};
  for (const StorageLevel& level : levels) {
    rules.capacities.push_back(level.capacity);
  }
  return execute(rules, actions);
}

// What the counted actions take, by the definition in the header.
double time_us(std::int64_t steps, const std::vector<StorageLevel>& levels, const StepCost& cost,
               const ChainCounts& counts) {
  double time_us = static_cast<double>(counts.advanced_steps) * cost.forward_us +
                   static_cast<double>(steps) * cost.turn_us;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    time_us += static_cast<double>(counts.levels[k].writes) * levels[k].write_us +
               static_cast<double>(counts.levels[k].reads) * levels[k].read_us;
  }
  return time_us;
}

// With (1, 1), (2, 2), (3, 3) and (5, 5) snapshots in memory and on disk.
std::vector<double> times_of(std::int64_t steps) {
  std::vector<double> times;
  for (const std::int64_t each : {1, 2, 3, 5}) {
    times.push_back(plan_h_revolve(steps, memory_and_disk(each, each)).time_us);
  }
  return times;
}

TEST(HRevolve, HasTheMakespansOfMemoryAndADiskOfTwo) {
  EXPECT_THAT(times_of(10), ElementsAre(37, 30, 25, 23));
  EXPECT_THAT(times_of(20), ElementsAre(95, 70, 63, 53));
  EXPECT_THAT(times_of(50), ElementsAre(352, 214, 182, 158));
  EXPECT_THAT(times_of(100), ElementsAre(970, 505, 420, 357));
}

TEST(HRevolve, TakesTheCountsOfThePublishedImplementation) {
  // 100 steps, 5 in memory, 5 on disk: 237 advances + 100 turns + 10 transfers of 2.
  const std::vector<StorageLevel> levels = memory_and_disk(5, 5);

  const ChainCounts counts = run(100, levels, plan_h_revolve(100, levels).actions);

  EXPECT_EQ(counts.forward_steps, 337);
  EXPECT_EQ(counts.levels[1], (LevelCounts{.writes = 5, .reads = 5, .most_held = 5}));
}

TEST(HRevolve, IsRevolveOnASingleFreeLevel) {
  for (std::int64_t steps = 1; steps <= 40; ++steps) {
    for (std::int64_t capacity = 1; capacity <= 6; ++capacity) {
      SCOPED_TRACE(testing::Message() << steps << " steps, capacity " << capacity);
      EXPECT_EQ(plan_h_revolve(steps, {{.capacity = capacity}}).time_us,
                static_cast<double>(steps + revolve_advances(steps, capacity)));
    }
  }
}

TEST(HRevolve, HasValidSchedulesThatTakeWhatWasPredicted) {
  const StepCost cost{.forward_us = 3, .turn_us = 5};
  for (std::int64_t steps = 1; steps <= 30; ++steps) {
    for (const std::int64_t capacity : {0, 1, 2, 4}) {
      SCOPED_TRACE(testing::Message() << steps << " steps, capacity " << capacity);
      const std::vector<StorageLevel> levels = {{.capacity = capacity, .write_us = 0.5},
                                                {.capacity = 1, .write_us = 2, .read_us = 1},
                                                {.capacity = 2, .write_us = 7, .read_us = 8}};
      const TimedActions plan = plan_h_revolve(steps, levels, cost);
      EXPECT_DOUBLE_EQ(time_us(steps, levels, cost, run(steps, levels, plan.actions)),
                       plan.time_us);
    }
  }
}

TEST(HRevolve, EqualsBruteForceOnShortChains) {
  for (int steps = 1; steps <= 6; ++steps) {
    for (const int memory : {1, 2}) {
      for (const int disk : {1, 2}) {
        SCOPED_TRACE(testing::Message() << steps << " steps, " << memory << " + " << disk);
        EXPECT_EQ(plan_h_revolve(steps, memory_and_disk(memory, disk), {.turn_us = 0}).time_us,
                  brute_force({.steps = steps,
                               .levels = {{.capacity = memory},
                                          {.capacity = disk, .write = 2, .read = 2}}}));
      }
    }
  }
}

TEST(HRevolve, LeavesAnUnaffordableDiskAlone) {
  const std::vector<StorageLevel> levels = {{.capacity = 2},
                                            {.capacity = 5, .write_us = 1e6, .read_us = 1e6}};

  EXPECT_EQ(plan_h_revolve(20, levels).time_us, 20 + 65);
  EXPECT_EQ(run(20, levels, plan_h_revolve(20, levels).actions).levels[1], LevelCounts{});
}

TEST(HRevolve, TurnsASingleStepWithoutAnyLevel) {
  EXPECT_EQ(text(plan_h_revolve(1, memory_and_disk(1, 1)).actions), "turn 0");
}

TEST(HRevolve, RejectsImpossibleInput) {
  EXPECT_THROW(plan_h_revolve(0, memory_and_disk(1, 1)), std::invalid_argument);
  EXPECT_THROW(plan_h_revolve(5, {}), std::invalid_argument);
  EXPECT_THROW(plan_h_revolve(5, memory_and_disk(0, 0)), std::invalid_argument);
  EXPECT_THROW(plan_h_revolve(5, memory_and_disk(-1, 1)), std::invalid_argument);
  EXPECT_THROW(plan_h_revolve(5, {{.capacity = 1, .write_us = -1}}), std::invalid_argument);
  EXPECT_THROW(plan_h_revolve(5, memory_and_disk(1, 1),
                              {.forward_us = std::numeric_limits<double>::infinity()}),
               std::invalid_argument);
}

}  // namespace
}  // namespace reprise::plan
