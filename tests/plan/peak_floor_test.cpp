// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/peak_floor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/small_programs.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PeakFloor, IsTheForwardPeakOfAPlainChain) {
  const PeakFloor floor = peak_floor(chain_program({10, 20, 30}, {1, 1, 1}));
  EXPECT_EQ(floor.bytes, 50);
  EXPECT_EQ(floor.reason.place, "forward op 2");
}

TEST(PeakFloor, CountsWhatANodeNeedsBesideItsBackground) {
  Program program = chain_program({10, 20, 30}, {1, 1, 1});
  program.resident_bytes = 5;
  program.uses[0].needs = {0, 2};
  program.uses[0].background_bytes.running = 40;
  const PeakFloor floor = peak_floor(program);
  EXPECT_EQ(floor.bytes, 85);
  EXPECT_EQ(floor.reason.place, "use 0 (StageBackward)");
  EXPECT_EQ(floor.reason.background_bytes, 45);
  EXPECT_THAT(floor.reason.values, ElementsAre(2, 0));
}

TEST(PeakFloor, LeavesOutWhatUserCodeHoldsAndWhatIsExternal) {
  Program program = chain_program({10, 20, 30}, {1, 1, 1});
  program.values[2].released_at = 3;
  program.values.emplace_back();
  program.values.back().bytes = 1000;
  program.values.back().external = true;
  program.uses[0].needs = {2, 3};
  program.uses[0].background_bytes.running = 60;
  EXPECT_EQ(peak_floor(program).bytes, 60);
}

TEST(PeakFloor, NamesTheSlotAfterAUse) {
  Program program = chain_program({10}, {1});
  program.uses[0].background_bytes.after = 99;
  const PeakFloor floor = peak_floor(program);
  EXPECT_EQ(floor.bytes, 99);
  EXPECT_EQ(floor.reason.place, "after use 0 (StageBackward)");
  EXPECT_THAT(floor.reason.values, IsEmpty());
}

TEST(PeakFloor, OfAnEmptyProgramIsNothing) { EXPECT_EQ(peak_floor({}).bytes, 0); }

TEST(PeakReason, NamesAReplayAndTheUseThatItIsFor) {
  Program program = chain_program({10, 20, 30}, {1, 1, 1});
  program.recipes[1].transient_bytes = 100;
  Schedule schedule;
  schedule.replays = {{.before_use = 1, .recipes = {1}}};
  const PeakReason reason = peak_reason(program, simulate(program, schedule));
  EXPECT_EQ(reason.place, "recipe 1 (stage) before use 1 (StageBackward)");
  EXPECT_EQ(reason.background_bytes, 80);
  EXPECT_THAT(reason.values, ElementsAre(1, 0));
}

}  // namespace
}  // namespace reprise::plan
