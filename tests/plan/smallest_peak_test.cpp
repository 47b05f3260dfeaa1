// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/smallest_peak.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/chain_program.h"
#include "tests/plan/recorded_programs.h"

namespace reprise::plan {
namespace {

using testing::Le;

PlanRequest any_budget() { return {.budget_bytes = std::numeric_limits<std::int64_t>::max()}; }

// A step of 180 us: a alone costs 10 of them, a and b 30.
TEST(SmallestPeak, WithoutAnOverheadIsThatOfKeepingEverything) {
  const Program program = chain_of_three();
  EXPECT_EQ(make_smallest_plan(program, "exact", any_budget(), 0).peak_bytes,
            simulate_keep_all(program).peak_bytes);
}

TEST(SmallestPeak, WithEveryOverheadIsTheFloorIfAScheduleReachesIt) {
  const Program program = chain_of_three();
  const PlanResult result = make_smallest_plan(program, "exact", any_budget(), 10);
  EXPECT_EQ(result.peak_bytes, result.floor_bytes);
}

class SmallestPeakAt : public testing::TestWithParam<double> {};

// A budget that is a fiftieth lower has no plan within the overhead.
TEST_P(SmallestPeakAt, OfARecordedStepIsWithinTheOverheadAndTight) {
  const Program program = recorded_program("unet");
  const PlanRequest request{.budget_bytes = std::numeric_limits<std::int64_t>::max(),
                            .iterations = 30,
                            .wants_bound = false};
  const PlanResult result = make_smallest_plan(program, "search", request, GetParam());
  ASSERT_TRUE(result.schedule);
  EXPECT_THAT(result.overhead, Le(GetParam()));
  EXPECT_EQ(simulate(program, *result.schedule).peak_bytes, result.peak_bytes);

  const std::int64_t all = simulate_keep_all(program).peak_bytes;
  PlanRequest lower = request;
  lower.budget_bytes = result.peak_bytes - all / 50;
  const PlanResult below = make_plan(program, "search", lower);
  EXPECT_THAT(below.schedule ? below.overhead : std::numeric_limits<double>::infinity(),
              testing::Gt(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Overheads, SmallestPeakAt, testing::Values(.02, .1, .2));

TEST(SmallestPeak, StaysWithinTheBudgetThoughItTakesMoreThanTheOverhead) {
  const Program program = chain_of_three();
  const std::int64_t floor = make_plan(program, "exact", {.budget_bytes = 1}).floor_bytes;
  const PlanResult result = make_smallest_plan(program, "exact", {.budget_bytes = floor}, 0);
  EXPECT_EQ(result.peak_bytes, floor);
  EXPECT_GT(result.overhead, 0);
}

TEST(SmallestPeak, OfABudgetThatNothingFitsIsItsMinimum) {
  const PlanResult result = make_smallest_plan(chain_of_three(), "exact", {.budget_bytes = 1}, .5);
  EXPECT_FALSE(result.schedule);
  EXPECT_TRUE(result.minimum);
}

TEST(SmallestPeak, RefusesAnOverheadThatIsNone) {
  for (const double overhead : {-.1, std::nan("")}) {
    EXPECT_THROW(make_smallest_plan(chain_of_three(), "exact", any_budget(), overhead),
                 std::invalid_argument);
  }
}

TEST(SmallestPeak, AnswersTheBudgetThatItWasAsked) {
  EXPECT_EQ(make_smallest_plan(chain_of_three(), "exact", {.budget_bytes = 350}, 1).budget_bytes,
            350);
}

TEST(SmallestPeak, OutOfTimeIsTheBestSoFar) {
  PlanRequest request = any_budget();
  request.time_limit_s = 1e-3;
  const PlanResult result = make_smallest_plan(recorded_program("lstm300"), "search", request, .1);
  EXPECT_TRUE(result.is_out_of_time);
  EXPECT_TRUE(result.schedule);
}

TEST(SmallestPeak, EndsWhenItIsCancelled) {
  int calls = 0;
  PlanRequest request = any_budget();
  request.on_progress = [&](const PlanProgress&) { return ++calls < 3; };
  const PlanResult result = make_smallest_plan(recorded_program("unet"), "search", request, .1);
  EXPECT_TRUE(result.is_cancelled);
}

}  // namespace
}  // namespace reprise::plan
