// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/lower.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/chain/binomial.h"
#include "reprise/plan/chain/disk_revolve.h"
#include "reprise/plan/chain/execute.h"
#include "reprise/plan/chain/mixed.h"
#include "reprise/plan/chain/online.h"
#include "reprise/plan/chain/rotor.h"
#include "reprise/plan/chain/two_level.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/chain/chains.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Steps of 3 us forward and 4 us back, states of 10 bytes, records of 15.
Chain equal_steps(std::size_t steps) {
  return {.input_bytes = 10,
          .stages = std::vector<Stage>(
              steps, {.forward_us = 3,
                      .output_bytes = 10,
                      .transient_bytes = 5,
                      .options = {{.forward_us = 3, .backward_us = 4, .saved_bytes = 15}}})};
}

Simulation run(const Chain& chain, const std::vector<Action>& actions) {
  return simulate(program_of(chain), schedule_of(std::ssize(chain.stages), actions));
}

TEST(ProgramOf, MakesOneOpOneRecipeAndOneUsePerStage) {
  const Program program = program_of(equal_steps(2));

  EXPECT_EQ(find_fault(program), std::nullopt);
  ASSERT_EQ(program.values.size(), 5U);  // three states, two rests
  EXPECT_TRUE(program.values[0].external);
  EXPECT_EQ(program.values[1].released_at, 1);
  EXPECT_EQ(program.values[3].bytes, 5);
  EXPECT_THAT(program.recipes[1].inputs, ElementsAre(1));
  EXPECT_THAT(program.recipes[1].outputs, ElementsAre(2, 4));
  EXPECT_EQ(program.recipes[1].transient_bytes, 15);
  EXPECT_THAT(program.uses[0].needs, ElementsAre(1, 2, 4));
  EXPECT_EQ(program.uses[0].background_bytes,
            (Background{.replaying = 10, .running = 20, .after = 10}));
  // Output and rest of stage 0; also the input of stage 1.
  EXPECT_THAT(program.forward_peak_bytes, ElementsAre(15, 25));
  EXPECT_EQ(program.forward_us, 6);
  EXPECT_EQ(program.step_us, 14);
}

TEST(ProgramOf, HasNoRestWhereARecordIsJustTheOutput) {
  Chain chain = equal_steps(2);
  chain.stages[0].options[0].saved_bytes = 10;

  EXPECT_EQ(program_of(chain).values.size(), 4U);
  EXPECT_THAT(program_of(chain).recipes[0].outputs, ElementsAre(1));
}

TEST(ScheduleOf, ReplaysNothingIfEverythingIsKept) {
  const RotorAnswer answer = plan_rotor(equal_steps(3), 1000);

  EXPECT_THAT(schedule_of(3, answer.plan->actions).replays, IsEmpty());
  // All three states and rests, two gradients.
  EXPECT_EQ(run(equal_steps(3), answer.plan->actions).peak_bytes, 30 + 15 + 20);
}

TEST(ScheduleOf, ReplaysWhatRevolveAdvances) {
  // snapshot 0, advance 0-2, turn 2, restore 0, advance 0-1, turn 1, restore 0, turn 0
  const std::vector<Action> actions = revolve_actions(3, 1);

  EXPECT_THAT(schedule_of(3, actions).replays,
              ElementsAre(Replays{.before_use = 1, .recipes = {0, 1}},
                          Replays{.before_use = 2, .recipes = {0}}));
  const Simulation simulation = run(equal_steps(3), actions);
  EXPECT_EQ(simulation.recompute_us, 3 * 3);
  // At each use: the states around the stage, its rest, two gradients.
  EXPECT_EQ(simulation.peak_bytes, 20 + 5 + 20);
  EXPECT_EQ(simulation.peak_slot, 3);
  EXPECT_EQ(simulation.timeline[5].total_bytes(), 10 + 15);  // replays stage 0 beside a gradient
}

TEST(ScheduleOf, KeepsOneStateMoreWithOneSnapshotMore) {
  // advance 0-1, snapshot 1, advance 1-2, turn 2, restore 1, turn 1, restore 0, turn 0
  const std::vector<Action> actions = revolve_actions(3, 2);

  EXPECT_THAT(schedule_of(3, actions).replays,
              ElementsAre(Replays{.before_use = 1, .recipes = {1}},
                          Replays{.before_use = 2, .recipes = {0}}));
  // At the first use: states 1, 2 and 3, the rest of stage 2, two gradients.
  EXPECT_EQ(run(equal_steps(3), actions).peak_bytes, 30 + 5 + 20);
}

TEST(ScheduleOf, RecomputesForAsLongAsThePlannersSay) {
  const Chain chain = equal_steps(20);
  const auto recompute_us = [&](const std::vector<Action>& actions) {
    return run(chain, actions).recompute_us;
  };

  EXPECT_EQ(recompute_us(revolve_actions(20, 3)), 3 * 45);
  EXPECT_EQ(recompute_us(revolve_actions(20, 3, Split::kMaximum)), 3 * 45);
  EXPECT_EQ(recompute_us(mixed_actions(20, 3)), 3 * (55 - 20));
  EXPECT_EQ(recompute_us(online_actions(20, 3)), 3 * 53);
  EXPECT_EQ(recompute_us(multistage_actions(20, 1, 2)), 3 * 45);
  // 80 = advances + 20 turns + 2 per transfer.
  const TimedActions disk = plan_disk_revolve(20, 1, {});
  const ChainCounts counts = execute({.steps = 20, .capacities = {1, kUnlimited}}, disk.actions);
  EXPECT_EQ(recompute_us(disk.actions), 3 * static_cast<double>(counts.advanced_steps));
  // Forward runs to the end, so the last period is run again: 200 steps, 20 of them the forward
  // run.
  EXPECT_EQ(recompute_us(periodic_binomial_actions(20, 10, 5)), 3 * (20 + 2 * 22 - 20));
}

TEST(ScheduleOf, CostsNoMoreBytesThanTheChainsOwnSimulatorSays) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const Chain chain = random_plain_chain(seed);
    const RotorTable table(chain, 80, 80);
    const double all_kept_us = plain_us(chain);
    for (std::int64_t budget = table.minimum_bytes(); budget <= 80; budget += 5) {
      SCOPED_TRACE(budget);
      const std::optional<RotorPlan> plan = table.plan(budget);
      const Simulation simulation = run(chain, plan->actions);
      EXPECT_EQ(simulation.recompute_us, plan->usage.time_us - all_kept_us);
      EXPECT_LE(simulation.peak_bytes, plan->usage.peak_bytes - chain.input_bytes);
    }
  }
}

TEST(Lower, RejectsWhatAProgramCannotSay) {
  Chain chain = equal_steps(2);
  chain.stages[1].options.push_back(chain.stages[1].options[0]);
  EXPECT_THROW(program_of(chain), std::invalid_argument);
  chain = equal_steps(2);
  chain.stages[1].options[0].forward_us = 5;
  EXPECT_THROW(program_of(chain), std::invalid_argument);
  EXPECT_THROW(schedule_of(1, {advance(0, 2)}), std::invalid_argument);
  EXPECT_THROW(schedule_of(1, {record(0, 0, 1)}), std::invalid_argument);
}

}  // namespace
}  // namespace reprise::plan
