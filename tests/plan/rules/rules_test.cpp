// SPDX-License-Identifier: Apache-2.0
// Each rule on programs whose plans can be written down.
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/planners.h"
#include "reprise/plan/rules/per_cut.h"
#include "tests/plan/small_programs.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kPlenty = 1'000'000;

Program nine_stages() {
  return chain_program(std::vector<std::int64_t>(9, 10), std::vector<double>(9, 1));
}

// What the planner replays with the lowest peak that it reaches.
std::vector<Replays> lowest(const Program& program, const std::string& planner,
                            const std::map<std::string, std::string>& options) {
  const PlanResult result = make_plan(program, planner, {.budget_bytes = 0, .options = options});
  return result.minimum->schedule.replays;
}

std::vector<Replays> with_plenty(const Program& program, const std::string& planner,
                                 const std::map<std::string, std::string>& options) {
  return make_plan(program, planner, {.budget_bytes = kPlenty, .options = options})
      .schedule->replays;
}

TEST(KeepAll, ReplaysNothing) { EXPECT_THAT(lowest(nine_stages(), "keep_all", {}), IsEmpty()); }

TEST(DropAll, RebuildsEverythingAtOnceBecauseTheLastValueNeedsTheWholeChain) {
  EXPECT_THAT(with_plenty(nine_stages(), "drop_all", {}),
              ElementsAre(Replays{.before_use = 0, .recipes = {0, 1, 2, 3, 4, 5, 6, 7, 8}}));
}

TEST(EveryK, RebuildsTheInsideOfEachBlockButThePlainLastOne) {
  EXPECT_THAT(with_plenty(nine_stages(), "every_k", {{"k", "3"}}),
              ElementsAre(Replays{.before_use = 4, .recipes = {3, 4}},
                          Replays{.before_use = 7, .recipes = {0, 1}}));
}

TEST(EveryK, TriesAllSensibleIntervalsIfNoneIsGiven) {
  const Program program = nine_stages();
  const PlanResult tried = make_plan(program, "every_k", {.budget_bytes = 60});
  const PlanResult given =
      make_plan(program, "every_k", {.budget_bytes = 60, .options = {{"k", "3"}}});
  ASSERT_TRUE(tried.schedule.has_value());
  ASSERT_TRUE(given.schedule.has_value());
  EXPECT_LE(tried.recompute_us, given.recompute_us);
  EXPECT_LE(tried.peak_bytes, 60);
}

TEST(EveryK, RejectsAnIntervalOfNothing) {
  EXPECT_THAT(
      [] {
        make_plan(nine_stages(), "every_k", {.options = {{"k", "0"}}});
      },
      testing::ThrowsMessage<std::invalid_argument>(
          HasSubstr("option k of planner every_k must be an integer from 1 to")));
  EXPECT_THAT(
      [] {
        make_plan(nine_stages(), "every_k", {.options = {{"k", "3x"}}});
      },
      testing::ThrowsMessage<std::invalid_argument>(HasSubstr("got 3x")));
}

TEST(SqrtN, MakesThreeBlocksOfNineRecipes) {
  EXPECT_EQ(with_plenty(nine_stages(), "sqrt_n", {}),
            with_plenty(nine_stages(), "every_k", {{"k", "3"}}));
}

TEST(BalancedBytes, PutsALargeValueIntoABlockOfItsOwn) {
  const Program program = chain_program({30, 10, 10, 10, 10}, {1, 1, 1, 1, 1});
  EXPECT_THAT(with_plenty(program, "balanced_bytes", {{"blocks", "2"}}),
              ElementsAre());  // value 0 is the boundary, the last block is plain
  EXPECT_THAT(
      make_plan(program, "balanced_bytes", {.budget_bytes = kPlenty, .options = {{"blocks", "2"}}})
          .note,
      HasSubstr("2 blocks"));
}

TEST(BalancedCost, CutsWhereHalfTheTimeIsSpent) {
  const Program program = chain_program({1, 1, 1, 1, 1}, {1, 1, 1, 1, 4});
  EXPECT_THAT(with_plenty(program, "balanced_cost", {{"blocks", "2"}}),
              ElementsAre(Replays{.before_use = 2, .recipes = {0, 1, 2}}));
}

TEST(PerLabel, MakesOneBlockPerPart) {
  Program program = nine_stages();
  const std::vector<std::string> labels = {"a.x", "a.x", "a.y", "b.x", "b.y", "", "c", "c", "c"};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    program.recipes[i].label = labels[i];
  }
  EXPECT_THAT(with_plenty(program, "per_label", {{"depth", "1"}}),
              ElementsAre(Replays{.before_use = 4, .recipes = {3, 4}},
                          Replays{.before_use = 7, .recipes = {0, 1}}));
  EXPECT_THAT(with_plenty(program, "per_label", {{"depth", "2"}}),
              ElementsAre(Replays{.before_use = 4, .recipes = {4}},
                          Replays{.before_use = 8, .recipes = {0}}));
}

TEST(PerLabel, DoesNotSuitAProgramWithoutLabels) {
  EXPECT_THAT([] { make_plan(nine_stages(), "per_label", {}); },
              testing::ThrowsMessage<std::invalid_argument>(
                  HasSubstr("none of its recipes has a label; try per_cut")));
}

TEST(NarrowPlaces, AreWhereFewBytesCross) {
  const Program program = chain_program({10, 50, 5, 50, 60, 5, 70}, {1, 1, 1, 1, 1, 1, 1});
  const std::vector<std::int64_t> crossing = crossing_bytes(program, {0, 1, 2, 3, 4, 5, 6});
  EXPECT_THAT(crossing, ElementsAre(10, 50, 5, 50, 60, 5, 0));
  EXPECT_THAT(narrow_places(crossing), ElementsAre(3));
}

TEST(PerCut, CutsAtTheNarrowestPlace) {
  const Program program = chain_program({30, 50, 5, 50, 30}, {1, 1, 1, 1, 1});
  EXPECT_THAT(with_plenty(program, "per_cut", {{"blocks", "2"}}),
              ElementsAre(Replays{.before_use = 3, .recipes = {0, 1}}));
}

TEST(Knapsack, DropsTheMostBytesPerMicrosecondFirst) {
  // Keeping all peaks at 90; only dropping value 1 (40 bytes for 1 us) or more goes below 60.
  const Program program = chain_program({10, 40, 10, 10, 20}, {1, 1, 1, 9, 9});
  EXPECT_THAT(
      make_plan(program, "knapsack", {.budget_bytes = 60, .options = {{"solver", "greedy"}}})
          .schedule->replays,
      ElementsAre(Replays{.before_use = 3, .recipes = {1}}));
}

TEST(Knapsack, KeepsEverythingIfThatFits) {
  EXPECT_THAT(with_plenty(nine_stages(), "knapsack", {}), IsEmpty());
}

TEST(Knapsack, KnowsItsSolvers) {
  EXPECT_THAT(
      [] {
        make_plan(nine_stages(), "knapsack", {.options = {{"solver", "magic"}}});
      },
      testing::ThrowsMessage<std::invalid_argument>(HasSubstr("one of: greedy, dp, got magic")));
}

Program named_stages() {
  Program program = chain_program({1, 1, 1, 1}, {1, 1, 1, 1});
  program.recipes[1].name = "gelu";
  program.recipes[2].name = "mm";
  program.recipes[3].name = "gelu";
  return program;
}

TEST(OpPolicy, RebuildsWhatTheListedOpsMake) {
  EXPECT_THAT(with_plenty(named_stages(), "op_policy", {{"recompute", "gelu"}}),
              ElementsAre(Replays{.before_use = 0, .recipes = {3}},
                          Replays{.before_use = 2, .recipes = {1}}));
}

TEST(OpPolicy, KeepsOnlyWhatTheListedOpsMake) {
  EXPECT_THAT(with_plenty(named_stages(), "op_policy", {{"save", "mm,stage"}}),
              ElementsAre(Replays{.before_use = 0, .recipes = {3}},
                          Replays{.before_use = 2, .recipes = {1}}));
}

TEST(OpPolicy, DropsNothingWithoutAList) {
  EXPECT_THAT(with_plenty(named_stages(), "op_policy", {}), IsEmpty());
}

TEST(OpPolicy, KeepsWhatNeitherListNames) {
  EXPECT_THAT(with_plenty(named_stages(), "op_policy", {{"recompute", "gelu"}, {"save", "mm"}}),
              ElementsAre(Replays{.before_use = 0, .recipes = {3}},
                          Replays{.before_use = 2, .recipes = {1}}));
}

TEST(OpPolicy, RejectsAnOpThatTheProgramDoesNotHave) {
  EXPECT_THAT(
      [] {
        make_plan(named_stages(), "op_policy", {.options = {{"recompute", "gelu,nosuch"}}});
      },
      testing::ThrowsMessage<std::invalid_argument>(
          "make_plan: option recompute of planner op_policy must be ops that recipes of this "
          "program are named after, got nosuch"));
  EXPECT_THAT(
      [] {
        plan_frontier(named_stages(), "op_policy", {4}, {.options = {{"save", "gelo"}}});
      },
      testing::ThrowsMessage<std::invalid_argument>(HasSubstr("got gelo: did you mean gelu?")));
}

TEST(OpPolicy, RejectsAnOpInBothLists) {
  EXPECT_THAT(
      [] {
        make_plan(named_stages(), "op_policy",
                  {.options = {{"recompute", "mm,gelu"}, {"save", "gelu"}}});
      },
      testing::ThrowsMessage<std::invalid_argument>(
          HasSubstr("option recompute of planner op_policy must be other ops than those to save, "
                    "got gelu")));
}

TEST(OpPolicy, RejectsAnEmptyName) {
  EXPECT_THAT(
      [] {
        make_plan(named_stages(), "op_policy", {.options = {{"save", "mm,"}}});
      },
      testing::ThrowsMessage<std::invalid_argument>(
          HasSubstr("must be names separated by commas, got mm,")));
}

TEST(Rules, TakeAProgramWithoutRecipes) {
  Program program;
  program.forward_peak_bytes = {5};
  EXPECT_EQ(make_plan(program, "per_cut", {.budget_bytes = 5}).peak_bytes, 5);
  EXPECT_EQ(make_plan(program, "sqrt_n", {.budget_bytes = 5}).peak_bytes, 5);
  EXPECT_EQ(make_plan(program, "knapsack", {.budget_bytes = 5}).peak_bytes, 5);
}

}  // namespace
}  // namespace reprise::plan
