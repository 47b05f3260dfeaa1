// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/minimum_budget.h"

#include <cstdint>
#include <random>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/generate/transformer.h"
#include "reprise/plan/peak_floor.h"
#include "reprise/plan/planners.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/chain_program.h"
#include "tests/plan/random_program.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;

std::int64_t bytes_of(const Program& program, const PeakReason& reason) {
  std::int64_t bytes = reason.background_bytes;
  for (const int value : reason.values) {
    bytes += program.values[static_cast<std::size_t>(value)].bytes;
  }
  return bytes;
}

TEST(MinimumBudget, IsTheFloorIfASchedulesPeakIsNoHigher) {
  // Use B runs in 150 bytes and needs value 2; value 1 is made again before use A.
  const MinimumBudget minimum = minimum_budget(chain_of_three());
  EXPECT_EQ(minimum.budget_bytes, 250);
  EXPECT_EQ(minimum.reason.place, "use 1 (B)");
  EXPECT_EQ(minimum.reason.background_bytes, 150);
  EXPECT_THAT(minimum.reason.values, ElementsAre(2));
  EXPECT_TRUE(minimum.is_proved);
}

TEST(MinimumBudget, NamesWhatStandsInTheWayAboveTheFloor) {
  // To make value 2 again before use B takes 120 + 100 + 100 bytes, so it stays, beside value 3
  // and the 100 bytes of use C.
  Program program = chain_of_three();
  program.uses[1].background_bytes.replaying = 120;
  ASSERT_EQ(peak_floor(program).bytes, 250);
  const MinimumBudget minimum = minimum_budget(program);
  EXPECT_EQ(minimum.budget_bytes, 300);
  EXPECT_EQ(minimum.reason.place, "use 0 (C)");
  EXPECT_EQ(minimum.reason.background_bytes, 100);
  EXPECT_THAT(minimum.reason.values, ElementsAre(2, 3));
  EXPECT_THAT(minimum.schedule.replays, ElementsAre(Replays{.before_use = 2, .recipes = {0}}));
  EXPECT_TRUE(minimum.is_proved);
}

TEST(MinimumBudget, IsTheExactOneOfTinyPrograms) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Program program = random_program(random, 8);
    const MinimumBudget minimum = minimum_budget(program);
    EXPECT_TRUE(minimum.is_proved);
    EXPECT_EQ(simulate(program, minimum.schedule).peak_bytes, minimum.budget_bytes);
    EXPECT_EQ(bytes_of(program, minimum.reason), minimum.budget_bytes);
    EXPECT_TRUE(
        make_plan(program, "exact", {.budget_bytes = minimum.budget_bytes}).schedule.has_value());
    EXPECT_FALSE(minimum.budget_bytes > 0 &&
                 make_plan(program, "exact", {.budget_bytes = minimum.budget_bytes - 1}).schedule);
  }
}

// Programs that are too large for exact, so that search answers, with few iterations.
constexpr std::int64_t kIterations = 30;

TEST(MinimumBudget, IsWhatAutoNamesForEveryBudgetThatTheyCannotMeet) {
  int named = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Program program = random_program(random, 60);
    const MinimumBudget minimum = minimum_budget(program, {.iterations = kIterations});
    EXPECT_EQ(bytes_of(program, minimum.reason), minimum.budget_bytes);
    const PlanRequest less{.budget_bytes = minimum.budget_bytes - 1, .iterations = kIterations};
    const PlanResult below = make_plan(program, "auto", less);
    named += below.minimum && below.minimum->budget_bytes == minimum.budget_bytes &&
                     below.minimum->is_proved == minimum.is_proved
                 ? 1
                 : 0;
    // Now and then so few iterations meet a budget that they do not reach from the floor.
    EXPECT_TRUE(below.schedule || below.minimum->budget_bytes == minimum.budget_bytes);
    const PlanRequest enough{.budget_bytes = minimum.budget_bytes, .iterations = kIterations};
    EXPECT_TRUE(make_plan(program, "auto", enough).schedule.has_value());
  }
  EXPECT_GE(named, 18);
}

TEST(MinimumBudget, IsTheSameForSearchWhereAutoPicksSearch) {
  const Program program = generate_transformer({.layers = 2, .width = 32, .context = 16});
  const MinimumBudget minimum = minimum_budget(program, {.iterations = kIterations});
  const PlanRequest less{.budget_bytes = minimum.budget_bytes - 1, .iterations = kIterations};
  EXPECT_EQ(make_plan(program, "search", less).minimum->budget_bytes, minimum.budget_bytes);
}

TEST(MinimumBudget, RejectsABrokenProgram) {
  Program program = chain_of_three();
  program.values[1].bytes = -1;
  EXPECT_THROW(minimum_budget(program), std::invalid_argument);
}

}  // namespace
}  // namespace reprise::plan
