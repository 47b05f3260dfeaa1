// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/simulate.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/generate/random.h"
#include "reprise/plan/hash.h"
#include "tests/plan/chain_program.h"
#include "tests/plan/naive_timeline.h"
#include "tests/plan/random_schedule.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;

Schedule replaying(std::vector<Replays> replays) {
  Schedule schedule;
  schedule.replays = std::move(replays);
  return schedule;
}

std::optional<ScheduleFault> chain_fault(const Schedule& schedule) {
  return find_fault(chain_of_three(), schedule);
}

TEST(Simulate, OfPlainTrainingKeepsWhatBackwardNeeds) {
  const Simulation plain = simulate_keep_all(chain_of_three());
  // Use 0 runs over 100 bytes of gradients while all three values are there.
  EXPECT_EQ(plain.peak_bytes, 400);
  EXPECT_EQ(plain.peak_slot, 3);
  EXPECT_THAT(plain.peak_values,
              ElementsAre(LiveValue{1, false}, LiveValue{2, false}, LiveValue{3, false}));
  EXPECT_EQ(plain.replays, 0);
  EXPECT_EQ(plain.recompute_us, 0);
  EXPECT_EQ(plain.overhead, 0);
  EXPECT_EQ(plain.predicted_step_us, 180);
}

TEST(Simulate, TellsTheBytesOfEachSlotByKind) {
  const Simulation result = simulate(chain_of_three(), replaying({{2, {0}}}));
  // Three ops; use 0 and after it; use 1 and after it; the replay, use 2 and after it. Value 1 was
  // released after op 1 and is read no more before it is made again; value 2 is charged from use 0.
  EXPECT_THAT(
      result.timeline,
      ElementsAre(
          Slot{.kind = SlotKind::kForward, .index = 0, .background_bytes = 200},
          Slot{.kind = SlotKind::kForward, .index = 1, .background_bytes = 200},
          Slot{.kind = SlotKind::kForward, .index = 2, .background_bytes = 200},
          Slot{.kind = SlotKind::kUse, .index = 0, .kept_bytes = 200, .background_bytes = 100},
          Slot{.kind = SlotKind::kAfterUse, .index = 0, .kept_bytes = 100, .background_bytes = 50},
          Slot{.kind = SlotKind::kUse, .index = 1, .kept_bytes = 100, .background_bytes = 150},
          Slot{.kind = SlotKind::kAfterUse, .index = 1, .background_bytes = 50},
          Slot{.kind = SlotKind::kReplay,
               .index = 2,
               .recipe = 0,
               .recomputed_bytes = 100,
               .background_bytes = 50},
          Slot{
              .kind = SlotKind::kUse, .index = 2, .recomputed_bytes = 100, .background_bytes = 150},
          Slot{.kind = SlotKind::kAfterUse, .index = 2, .background_bytes = 50}));
}

TEST(Simulate, CountsWorkspaceOnlyBeyondTheOutputs) {
  Program program = chain_of_three();
  program.recipes[0].transient_bytes = 130;
  EXPECT_EQ(simulate(program, replaying({{2, {0}}})).timeline[7].workspace_bytes, 30);
  program.recipes[0].transient_bytes = 10;
  EXPECT_EQ(simulate(program, replaying({{2, {0}}})).timeline[7].workspace_bytes, 0);
}

TEST(Simulate, CountsAnOutputThatNobodyReadsInItsSlotOnly) {
  const Simulation result = simulate(chain_of_three(), replaying({{2, {2, 0}}}));
  EXPECT_EQ(result.timeline[7].recomputed_bytes, 100);  // value 3; value 2 is still there
  EXPECT_EQ(result.timeline[7].kept_bytes, 100);
  EXPECT_EQ(result.timeline[8].recomputed_bytes, 100);  // value 1 alone
}

TEST(Simulate, AddsTheExecutorsOwnTimeToThePredictionAlone) {
  Program program = chain_of_three();
  program.replay_overhead_us = 2;
  program.use_overhead_us = 5;
  const Simulation result = simulate(program, replaying({{1, {0, 1}}}));
  EXPECT_EQ(result.replays, 2);
  EXPECT_EQ(result.recompute_us, 30);
  EXPECT_EQ(result.overhead, 30.0 / 180);
  EXPECT_EQ(result.predicted_step_us, 180 + 30 + 2 * 2 + 3 * 5);
}

TEST(Simulate, OfAnEmptyProgramIsEmpty) {
  const Simulation result = simulate_keep_all(Program{});
  EXPECT_EQ(result.peak_bytes, 0);
  EXPECT_TRUE(result.timeline.empty());
  EXPECT_EQ(result.overhead, 0);
}

TEST(Simulate, AgreesWithADefinitionThatLooksAtEverySlotAnew) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Program program =
        generate_random({.ops = 1 + static_cast<std::int64_t>(seed % 40), .seed = seed});
    const Schedule schedule = random_schedule(program, seed);
    EXPECT_EQ(simulate(program, schedule).timeline, naive_timeline(program, schedule));
  }
}

TEST(Simulate, RefusesAScheduleWithAFault) {
  try {
    simulate(chain_of_three(), replaying({{3, {0}}}));
    FAIL() << "expected an exception";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "simulate: schedule.replays[0].before_use: must be one of the 3 uses, got 3");
  }
}

TEST(FindScheduleFault, FindsNoneInAValidSchedule) {
  EXPECT_EQ(chain_fault({}), std::nullopt);
  EXPECT_EQ(chain_fault(replaying({{0, {0, 0, 1}}, {2, {2}}})), std::nullopt);
}

TEST(FindScheduleFault, NamesAnUnknownUseOrRecipe) {
  EXPECT_EQ(chain_fault(replaying({{0, {0}}, {-1, {0}}}))->path, "replays[1].before_use");
  EXPECT_EQ(chain_fault(replaying({{0, {0, 3}}})),
            (ScheduleFault{"replays[0].recipes[1]", "must be one of the 3 recipes, got 3"}));
  EXPECT_EQ(chain_fault(replaying({{0, {-1}}}))->path, "replays[0].recipes[0]");
}

TEST(FindScheduleFault, NamesUsesThatDoNotAscend) {
  EXPECT_EQ(chain_fault(replaying({{1, {0}}, {1, {0}}})),
            (ScheduleFault{"replays[1].before_use", "must be above 1, the one before, got 1"}));
}

TEST(FindScheduleFault, NamesAnEmptyList) {
  EXPECT_EQ(chain_fault(replaying({{1, {}}}))->path, "replays[0].recipes");
}

TEST(FindScheduleFault, NamesARecipeThatMustNotRunAgain) {
  Program program = chain_of_three();
  program.recipes[1].replayable = false;
  EXPECT_EQ(find_fault(program, replaying({{1, {0, 1}}})),
            (ScheduleFault{"replays[0].recipes[1]", "recipe 1 (b) must not run again"}));
}

TEST(FindScheduleFault, NamesAnotherProgram) {
  Schedule schedule;
  schedule.program_hash = program_hash(chain_of_three());
  EXPECT_EQ(chain_fault(schedule), std::nullopt);
  schedule.program_hash[0] = schedule.program_hash[0] == '0' ? '1' : '0';
  const auto fault = chain_fault(schedule);
  EXPECT_EQ(fault->path, "program");
  EXPECT_THAT(fault->what, testing::MatchesRegex("must be [0-9a-f]+, this program's hash, got "
                                                 "[0-9a-f]+: it was made for another step, and "
                                                 "model, sizes, .* must be as they were"));
}

}  // namespace
}  // namespace reprise::plan
