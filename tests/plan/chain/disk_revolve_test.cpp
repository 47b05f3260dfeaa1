// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/disk_revolve.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/chain/execute.h"
#include "tests/plan/chain/brute_force.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;

// Prints and compares as "memory only / first on disk / unlimited disk".
DiskRevolveTimes times(double memory_only, double first_on_disk, double unlimited_disk) {
  return {.memory_only_us = memory_only,
          .first_on_disk_us = first_on_disk,
          .unlimited_disk_us = unlimited_disk};
}

// With 1, 2, 3 and 5 snapshots in memory.
std::vector<DiskRevolveTimes> times_of(std::int64_t steps) {
  std::vector<DiskRevolveTimes> row;
  for (const std::int64_t memory : {1, 2, 3, 5}) {
    row.push_back(disk_revolve_times(steps, memory, {}));
  }
  return row;
}

ChainCounts run(std::int64_t steps, std::int64_t memory, const TimedActions& plan) {
  return execute({.steps = steps, .capacities = {memory, kUnlimited}}, plan.actions);
}

double time_us(std::int64_t steps, const DiskCost& cost, const ChainCounts& counts) {
  return static_cast<double>(counts.advanced_steps) * cost.step.forward_us +
         static_cast<double>(steps) * cost.step.turn_us +
         static_cast<double>(counts.levels[1].writes) * cost.write_us +
         static_cast<double>(counts.levels[1].reads) * cost.read_us;
}

TEST(DiskRevolve, HasTheMakespansOfADiskOfTwo) {
  EXPECT_THAT(times_of(10), ElementsAre(times(55, 35, 36), times(30, 28, 30), times(25, 25, 25),
                                        times(23, 23, 23)));
  EXPECT_THAT(times_of(20), ElementsAre(times(210, 93, 80), times(85, 70, 70), times(65, 62, 63),
                                        times(53, 53, 53)));
  EXPECT_THAT(times_of(50), ElementsAre(times(1275, 350, 210), times(335, 237, 190),
                                        times(230, 199, 175), times(172, 167, 158)));
  EXPECT_THAT(times_of(100), ElementsAre(times(5050, 968, 426), times(945, 601, 390),
                                         times(590, 481, 363), times(416, 385, 333)));
}

TEST(DiskRevolve, LosesNothingHereByReadingEachDiskStateOnce) {
  EXPECT_EQ(disk_revolve_times(20, 1, {}, DiskReads::kOnce).unlimited_disk_us, 80);
  EXPECT_EQ(disk_revolve_times(50, 3, {}, DiskReads::kOnce).unlimited_disk_us, 175);
  EXPECT_EQ(disk_revolve_times(100, 5, {}, DiskReads::kOnce).unlimited_disk_us, 333);
}

TEST(DiskRevolve, TakesTheCountsOfThePublishedImplementation) {
  // 181 advances + 100 turns + 26 transfers of 2 = 333.
  const ChainCounts counts = run(100, 5, plan_disk_revolve(100, 5, {}, DiskReads::kOnce));

  EXPECT_EQ(counts.forward_steps, 281);
  EXPECT_EQ(counts.levels[1], (LevelCounts{.writes = 13, .reads = 13, .most_held = 13}));
}

TEST(DiskRevolve, HasValidSchedulesThatTakeWhatWasPredicted) {
  const DiskCost cost{.step = {.forward_us = 2, .turn_us = 3}, .write_us = 5, .read_us = 1};
  for (std::int64_t steps = 1; steps <= 60; ++steps) {
    for (std::int64_t memory = 1; memory <= 4; ++memory) {
      SCOPED_TRACE(testing::Message() << steps << " steps, " << memory << " in memory");
      const TimedActions any = plan_disk_revolve(steps, memory, cost);
      const TimedActions once = plan_disk_revolve(steps, memory, cost, DiskReads::kOnce);
      EXPECT_EQ(time_us(steps, cost, run(steps, memory, any)), any.time_us);
      EXPECT_EQ(time_us(steps, cost, run(steps, memory, once)), once.time_us);
      EXPECT_EQ(run(steps, memory, once).levels[1].reads,
                run(steps, memory, once).levels[1].writes);
      EXPECT_LE(any.time_us, once.time_us);
    }
  }
}

TEST(DiskRevolve, EqualsBruteForceOnShortChains) {
  for (int steps = 1; steps <= 6; ++steps) {
    for (int memory = 1; memory <= 2; ++memory) {
      SCOPED_TRACE(testing::Message() << steps << " steps, " << memory << " in memory");
      const DiskCost cost{.step = {.turn_us = 0}, .write_us = 0.5, .read_us = 1};
      EXPECT_EQ(disk_revolve_times(steps, memory, cost).unlimited_disk_us,
                brute_force({.steps = steps,
                             .levels = {{.capacity = memory},
                                        {.capacity = steps, .write = 0.5, .read = 1}}}));
    }
  }
}

TEST(DiskRevolve, EqualsBruteForceWhenOnlyTheFirstStateIsOnDisk) {
  for (int steps = 1; steps <= 7; ++steps) {
    for (int memory = 1; memory <= 2; ++memory) {
      SCOPED_TRACE(testing::Message() << steps << " steps, " << memory << " in memory");
      const DiskCost cost{.step = {.turn_us = 0}, .write_us = 0, .read_us = 1};
      EXPECT_EQ(
          disk_revolve_times(steps, memory, cost).first_on_disk_us,
          brute_force({.steps = steps,
                       .levels = {{.capacity = memory}, {.capacity = 0, .write = 0, .read = 1}},
                       .first_held_in = 1}));
    }
  }
}

TEST(PeriodicDisk, TakesTheCountsOfThePublishedImplementation) {
  // Period 6: 96 advances to the last part, 4 + 3 steps there, 16 periods of 6 + 5.
  EXPECT_EQ(disk_period(100, 5, {}), 6);
  EXPECT_EQ(disk_period(100, 5, {}, DiskReads::kOnce), 6);

  const TimedActions plan = plan_periodic_disk(100, 5, 6, {});
  const ChainCounts counts = run(100, 5, plan);

  EXPECT_EQ(counts.forward_steps, 279);
  EXPECT_EQ(counts.levels[1], (LevelCounts{.writes = 16, .reads = 16, .most_held = 16}));
  EXPECT_EQ(plan.time_us, 179 + 100 + 64);
}

TEST(PeriodicDisk, HasValidSchedulesThatTakeWhatWasPredicted) {
  const DiskCost cost{.step = {.forward_us = 2, .turn_us = 3}, .write_us = 5, .read_us = 1};
  for (std::int64_t steps = 1; steps <= 20; ++steps) {
    for (std::int64_t period = 1; period <= 8; ++period) {
      SCOPED_TRACE(testing::Message() << steps << " steps by " << period);
      const TimedActions plan = plan_periodic_disk(steps, 2, period, cost);
      EXPECT_EQ(time_us(steps, cost, run(steps, 2, plan)), plan.time_us);
      EXPECT_GE(plan.time_us, plan_disk_revolve(steps, 2, cost).time_us);
    }
  }
}

TEST(DiskRevolve, RejectsImpossibleInput) {
  EXPECT_THROW(disk_revolve_times(0, 1, {}), std::invalid_argument);
  EXPECT_THROW(plan_disk_revolve(5, 0, {}), std::invalid_argument);
  EXPECT_THROW(disk_period(5, 1, {.write_us = -1}), std::invalid_argument);
  EXPECT_THROW(plan_periodic_disk(5, 1, 0, {}), std::invalid_argument);
}

}  // namespace
}  // namespace reprise::plan
