// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/value_fates.h"

#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/chain_program.h"

namespace reprise::plan {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using Action = ValueFate::Action;

auto has(int value, Action action, std::int64_t replays, double us, const std::string& why) {
  return AllOf(
      Field("value", &ValueFate::value, value), Field("action", &ValueFate::action, action),
      Field("replays", &ValueFate::replays, replays),
      Field("recompute_us", &ValueFate::recompute_us, us), Field("why", &ValueFate::why, why));
}

Schedule before(int use, std::vector<int> recipes) {
  Schedule schedule;
  schedule.replays = {{.before_use = use, .recipes = std::move(recipes)}};
  return schedule;
}

TEST(ValueFates, OfAChainAreKeptOrMadeAgain) {
  EXPECT_THAT(value_fates(chain_of_three(), before(1, {0, 1})),
              ElementsAre(has(1, Action::kRecomputed, 1, 10, "made again once in 0.010 ms"),
                          has(2, Action::kRecomputed, 1, 20, "made again once in 0.020 ms"),
                          has(3, Action::kKept, 0, 0, "making it again takes 0.030 ms")));
}

TEST(ValueFates, SayWhatTheProgramHoldsAndWhatNothingMakesAgain) {
  Program program = chain_of_three();
  program.values[1].released_at = program.ops();
  program.recipes[1].replayable = false;
  EXPECT_THAT(value_fates(program, {}),
              ElementsAre(has(1, Action::kHeld, 0, 0, "the program holds it through backward"),
                          has(2, Action::kKept, 0, 0, "nothing can make it again"),
                          has(3, Action::kKept, 0, 0, "making it again takes 0.030 ms")));
}

TEST(ValueFates, LeaveOutWhatBackwardDoesNotNeed) {
  Program program = chain_of_three();
  program.uses.erase(program.uses.begin());
  EXPECT_THAT(value_fates(program, {}),
              ElementsAre(Field(&ValueFate::value, 1), Field(&ValueFate::value, 2)));
}

TEST(ValueFates, CountNoReplayThatComesAfterTheLastUse) {
  EXPECT_THAT(value_fates(chain_of_three(), before(2, {0, 1})),
              ElementsAre(Field(&ValueFate::replays, 1), Field(&ValueFate::replays, 0),
                          Field(&ValueFate::replays, 0)));
}

TEST(ValueFates, SayThatRandomNumbersAreDrawnAgain) {
  Program program = chain_of_three();
  program.recipes[0].random = true;
  program.uses = {program.uses[2]};
  EXPECT_THAT(value_fates(program, {}),
              ElementsAre(has(1, Action::kKept, 0, 0,
                              "making it again takes 0.010 ms, with its random numbers")));
}

}  // namespace
}  // namespace reprise::plan
