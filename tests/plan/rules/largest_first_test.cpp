// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/rules/largest_first.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/planners.h"
#include "tests/plan/small_programs.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Four stages that make 10, 40, 10 and 20 bytes. With everything kept the peak is 80.
Program four_stages() { return chain_program({10, 40, 10, 20}, {1, 1, 1, 1}); }

TEST(LargestFirst, DropsOnlyTheLargestValueIfThatIsEnough) {
  const PlanResult result = make_plan(four_stages(), "largest_first", {.budget_bytes = 70});
  ASSERT_TRUE(result.schedule.has_value());
  EXPECT_THAT(result.schedule->replays, ElementsAre(Replays{.before_use = 2, .recipes = {1}}));
  EXPECT_EQ(result.peak_bytes, 60);  // forward op 2 with value 0: 10 + 40 + 10
  EXPECT_EQ(result.recompute_us, 1);
  EXPECT_EQ(result.note, "the largest 1 of 4 values are rebuilt");
}

TEST(LargestFirst, DropsNothingWithRoomForEverything) {
  EXPECT_THAT(make_plan(four_stages(), "largest_first", {.budget_bytes = 80}).schedule->replays,
              IsEmpty());
}

TEST(LargestFirst, KeepsWhatIsSmallerThanItIsTold) {
  const PlanResult result =
      make_plan(four_stages(), "largest_first",
                {.budget_bytes = 70, .options = {{"keep_below_bytes", "41"}}});
  EXPECT_FALSE(result.schedule.has_value());
  EXPECT_EQ(result.minimum->budget_bytes, 80);
}

}  // namespace
}  // namespace reprise::plan
