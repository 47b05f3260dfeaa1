// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/retimed_program.h"

#include <vector>

#include <gtest/gtest.h>

#include "reprise/plan/simulate.h"
#include "reprise/profile/build_program.h"
#include "tests/profile/step_builder.h"

namespace reprise::profile {
namespace {

// Two values that backward needs: one that two ops make, one of a third.
plan::Program two_recipes() {
  StepBuilder step;
  const int first = step.make("aten::empty", 8);
  step.write("aten::fill_", step.all(first));
  const int second = step.make("aten::exp", 8, {step.all(first)});
  step.use("ExpBackward0", {step.all(second)});
  step.use("MulBackward0", {step.all(first)});
  return build_program(step.trace).program;
}

// Runs the recipe that makes the first value again, before it is used.
plan::Schedule replay_of_the_first() {
  plan::Schedule schedule;
  schedule.replays.push_back({.before_use = 1, .recipes = {0}});
  return schedule;
}

tape::PassTimes times(double pass_us, double replay_us, std::vector<double> op_us) {
  return {.pass_us = pass_us, .replay_us = replay_us, .op_us = std::move(op_us)};
}

TEST(RetimedProgram, TakesMediansOverThePasses) {
  const plan::Program retimed = retimed_program(
      two_recipes(), {},
      {times(100, 0, {1, 20, 30}), times(104, 0, {3, 22, 90}), times(300, 0, {2, 21, 31})});
  EXPECT_DOUBLE_EQ(retimed.recipes[0].cost_us, 2 + 21);
  EXPECT_DOUBLE_EQ(retimed.recipes[1].cost_us, 31);
  EXPECT_DOUBLE_EQ(retimed.step_us, 104);
}

TEST(RetimedProgram, SharesWhatReplaysTookMoreAmongTheirOps) {
  const plan::Schedule schedule = replay_of_the_first();
  const plan::Program retimed =
      retimed_program(two_recipes(), schedule, {times(150, 33, {4, 19, 30})});
  EXPECT_DOUBLE_EQ(retimed.step_us, 117);
  EXPECT_DOUBLE_EQ(retimed.recipes[0].cost_us, 23 + 2 * 5);
  EXPECT_DOUBLE_EQ(retimed.recipes[1].cost_us, 30 + 5);
  EXPECT_DOUBLE_EQ(plan::simulate(retimed, schedule).recompute_us, 33);
}

TEST(RetimedProgram, ReplaysThatWereFasterLeaveCostsAlone) {
  const plan::Program retimed =
      retimed_program(two_recipes(), replay_of_the_first(), {times(150, 10, {4, 19, 30})});
  EXPECT_DOUBLE_EQ(retimed.recipes[0].cost_us, 23);
  EXPECT_DOUBLE_EQ(retimed.recipes[1].cost_us, 30);
}

}  // namespace
}  // namespace reprise::profile
