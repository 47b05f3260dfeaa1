// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/planners.h"

#include <set>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/hash.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/small_programs.h"

namespace reprise::plan {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

Program four_stages() { return chain_program({10, 20, 30, 40}, {1, 2, 3, 4}); }

// What the call throws, as text.
template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Planners, HaveDistinctNamesAndALineOfHelpEach) {
  std::set<std::string> names;
  std::size_t without_help = 0;
  for (const PlannerRecord& record : planner_records()) {
    names.insert(record.name);
    without_help += record.help.empty() ? 1 : 0;
  }
  EXPECT_EQ(names.size(), planner_records().size());
  EXPECT_EQ(without_help, 0);
}

TEST(MakePlan, FillsInTheHeadOfTheScheduleAndTheFiguresOfTheSimulator) {
  const Program program = four_stages();
  const PlanResult result = make_plan(program, "keep_all", {.budget_bytes = 100});
  ASSERT_TRUE(result.schedule.has_value());
  EXPECT_EQ(*result.schedule, (Schedule{.program_hash = program_hash(program),
                                        .planner = "keep_all",
                                        .budget_bytes = 100,
                                        .predicted_peak_bytes = 100,
                                        .predicted_recompute_us = 0,
                                        .replays = {}}));
  EXPECT_EQ(result.peak_bytes, 100);
  EXPECT_EQ(result.overhead, 0);
  EXPECT_FALSE(result.minimum.has_value());
}

TEST(MakePlan, TellsTheGapToTheBoundIfThatIsWanted) {
  const PlanResult result = make_plan(four_stages(), "search", {.budget_bytes = 70});
  ASSERT_TRUE(result.bound_us.has_value());
  EXPECT_GT(*result.bound_us, 0);
  EXPECT_LE(*result.bound_us, result.recompute_us);
  EXPECT_EQ(*result.gap, (result.recompute_us - *result.bound_us) / 30);
  const PlanResult without =
      make_plan(four_stages(), "search", {.budget_bytes = 70, .wants_bound = false});
  EXPECT_FALSE(without.bound_us.has_value());
  EXPECT_FALSE(without.gap.has_value());
}

TEST(MakePlan, HasNoGapWhereThePlanIsProved) {
  const PlanResult result =
      make_plan(four_stages(), "exact", {.budget_bytes = 70, .wants_bound = false});
  ASSERT_TRUE(result.is_proved);
  EXPECT_GT(result.recompute_us, 0);
  EXPECT_EQ(result.bound_us, result.recompute_us);
  EXPECT_EQ(result.gap, 0);
}

TEST(MakePlan, KnowsNoBoundBelowTheFloor) {
  EXPECT_FALSE(make_plan(four_stages(), "exact", {.budget_bytes = 69}).bound_us.has_value());
}

TEST(MakePlan, NamesTheMinimumAndItsReasonWhenNothingFits) {
  const PlanResult result = make_plan(four_stages(), "keep_all", {.budget_bytes = 99});
  EXPECT_FALSE(result.schedule.has_value());
  ASSERT_TRUE(result.minimum.has_value());
  EXPECT_EQ(result.minimum->budget_bytes, 100);
  EXPECT_EQ(result.minimum->reason.place, "forward op 3");
  EXPECT_EQ(result.minimum->reason.background_bytes, 70);
  EXPECT_THAT(result.minimum->reason.values, ElementsAre(1, 0));
  EXPECT_EQ(result.minimum->schedule.predicted_peak_bytes, 100);
}

TEST(MakePlan, BelowTheFloorAnswersWithTheLowestPeakOfThePlanner) {
  const PlanResult result = make_plan(four_stages(), "keep_all", {.budget_bytes = 1});
  EXPECT_EQ(result.floor_bytes, 70);
  ASSERT_TRUE(result.minimum.has_value());
  EXPECT_EQ(result.minimum->budget_bytes, 100);
}

TEST(MakePlan, ProvesAMinimumThatIsTheFloor) {
  const PlanResult result = make_plan(four_stages(), "search", {.budget_bytes = 69});
  ASSERT_TRUE(result.minimum.has_value());
  EXPECT_EQ(result.minimum->budget_bytes, 70);
  EXPECT_TRUE(result.minimum->is_proved);
  EXPECT_TRUE(result.is_proved);
  EXPECT_FALSE(make_plan(four_stages(), "keep_all", {.budget_bytes = 69}).is_proved);
}

TEST(MakePlan, ListsTheKnownPlannersForAnUnknownOne) {
  EXPECT_THAT(message_of([] { make_plan(four_stages(), "magic", {.budget_bytes = 1}); }),
              AllOf(HasSubstr("keep_all, drop_all"), HasSubstr("got magic")));
}

TEST(FindPlanner, AsksWhetherTheNearestNameWasMeant) {
  EXPECT_THAT(message_of([] { find_planner("serch"); }),
              EndsWith(", search, auto, got serch: did you mean search?"));
  EXPECT_THAT(message_of([] { find_planner("magic"); }), EndsWith(", got magic"));
}

TEST(MakePlan, RejectsAProgramThatThePlannerDoesNotTake) {
  Program program = four_stages();
  program.recipes[0].replayable = false;
  EXPECT_THAT(message_of([&] { make_plan(program, "rotor", {.budget_bytes = 1}); }),
              StartsWith("make_plan: planner must be one that takes this program, got rotor: it is "
                         "no chain: recipe 0 ("));
}

TEST(MakePlan, IsCancelledWhileItWorksOutTheBound) {
  int calls = 0;
  const auto cancel = [&](const PlanProgress& progress) {
    ++calls;
    EXPECT_EQ(progress.iterations, 0);
    return false;
  };
  const PlanResult result =
      make_plan(four_stages(), "search", {.budget_bytes = 70, .on_progress = cancel});
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(result.is_cancelled);
  EXPECT_EQ(result.bound_us, 0);
}

TEST(MakePlan, RejectsAnUnknownOption) {
  EXPECT_THAT(message_of([] {
                make_plan(four_stages(), "keep_all", {.budget_bytes = 1, .options = {{"k", "2"}}});
              }),
              HasSubstr("an option of planner keep_all must be none, got k"));
}

TEST(MakePlan, RejectsNegativeLimits) {
  EXPECT_THAT(message_of([] { make_plan(four_stages(), "keep_all", {.budget_bytes = -1}); }),
              HasSubstr("budget_bytes must be at least 0, got -1"));
  EXPECT_THAT(message_of([] { make_plan(four_stages(), "keep_all", {.iterations = -1}); }),
              HasSubstr("iterations must be at least 0, got -1"));
  EXPECT_THAT(message_of([] { make_plan(four_stages(), "keep_all", {.time_limit_s = -1}); }),
              HasSubstr("time_limit_s must be finite and at least 0"));
}

TEST(MakePlan, RejectsABrokenProgram) {
  Program program = four_stages();
  program.values[2].bytes = -5;
  EXPECT_THAT(message_of([&] { make_plan(program, "keep_all", {.budget_bytes = 1}); }),
              HasSubstr("values[2].bytes: must not be negative, got -5"));
}

TEST(PlanFrontier, AnswersEachBudgetInTheOrderGiven) {
  const std::vector<PlanResult> frontier =
      plan_frontier(four_stages(), "keep_all", {100, 50, 200, 100}, {});
  ASSERT_EQ(frontier.size(), 4);
  EXPECT_EQ(frontier[0].schedule->budget_bytes, 100);
  EXPECT_EQ(frontier[1].minimum->budget_bytes, 100);
  EXPECT_EQ(frontier[2].schedule->budget_bytes, 200);
  EXPECT_EQ(frontier[3].peak_bytes, 100);
}

TEST(PlanFrontier, HasNoGapWhereAPlanIsProved) {
  for (const PlanResult& result : plan_frontier(four_stages(), "exact", {70, 80, 100}, {})) {
    SCOPED_TRACE(result.budget_bytes);
    EXPECT_TRUE(result.is_proved);
    EXPECT_EQ(result.bound_us, result.recompute_us);
    EXPECT_EQ(result.gap, 0);
  }
}

TEST(PlanFrontier, OfNoBudgetsIsEmpty) {
  EXPECT_TRUE(plan_frontier(four_stages(), "keep_all", {}, {}).empty());
}

}  // namespace
}  // namespace reprise::plan
