// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/minimum_budget.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/generate/transformer.h"
#include "reprise/plan/peak_floor.h"
#include "reprise/plan/planners.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/chain_program.h"
#include "tests/plan/complaints.h"
#include "tests/plan/program_count.h"
#include "tests/plan/random_program.h"
#include "tests/plan/small_programs.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

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

// So few that exact proves nothing and every way down ends early.
constexpr std::int64_t kIterations = 30;

PlanResult plan(const Program& program, const std::string& planner, std::int64_t budget_bytes) {
  return make_plan(program, planner,
                   {.budget_bytes = budget_bytes, .iterations = kIterations, .wants_bound = false});
}

// Budgets on both sides of the minimum.
std::vector<std::int64_t> budgets_around(const Program& program, std::int64_t minimum_bytes) {
  const std::int64_t floor_bytes = peak_floor(program).bytes;
  const std::int64_t most_bytes = simulate_keep_all(program).peak_bytes;
  const std::int64_t above_bytes = most_bytes - minimum_bytes;
  return {floor_bytes + (minimum_bytes - floor_bytes) / 2,
          std::max<std::int64_t>(0, minimum_bytes - 1),
          minimum_bytes,
          minimum_bytes + above_bytes / 30,
          minimum_bytes + above_bytes / 8,
          minimum_bytes + above_bytes / 3};
}

// What is wrong with the planner's answer, if `minimum_bytes` is the one it names.
void check_answer(const PlanResult& result, std::int64_t minimum_bytes, Complaints& wrong) {
  const std::string at = "budget " + std::to_string(result.budget_bytes) + ": ";
  const bool is_met = result.budget_bytes >= minimum_bytes;
  wrong.unless(!is_met || result.schedule, at + "refused, though it is met");
  wrong.unless(is_met || !result.schedule, at + "a plan below the minimum");
  wrong.unless(result.schedule || result.minimum->budget_bytes == minimum_bytes,
               at + "another minimum");
}

// Asks the planner for the floor, and then one by one for budgets around what it names.
std::vector<std::string> check_one_minimum(const Program& program, const std::string& planner) {
  Complaints wrong;
  const PlanResult lowest = plan(program, planner, peak_floor(program).bytes);
  const std::int64_t minimum_bytes =
      lowest.schedule ? lowest.floor_bytes : lowest.minimum->budget_bytes;
  const std::vector<std::int64_t> budgets = budgets_around(program, minimum_bytes);
  for (const std::int64_t budget_bytes : budgets) {
    check_answer(plan(program, planner, budget_bytes), minimum_bytes, wrong);
  }
  return wrong.list();
}

// Most are too large for exact; of the others it proves few.
TEST(MinimumBudget, IsOneForEveryBudgetOfARandomProgram) {
  int above_floor = 0;
  constexpr unsigned most_seeds = programs(120);
  for (unsigned seed = 1; seed <= most_seeds; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Program program = random_program(random, 60);
    const MinimumBudget minimum = minimum_budget(program, {.iterations = kIterations});
    EXPECT_EQ(bytes_of(program, minimum.reason), minimum.budget_bytes);
    EXPECT_THAT(check_one_minimum(program, seed % 2 == 0 ? "auto" : "search"), IsEmpty());
    above_floor += minimum.budget_bytes > peak_floor(program).bytes ? 1 : 0;
  }
  EXPECT_GE(above_floor, static_cast<int>(most_seeds) / 4);  // or there was little to agree on
}

TEST(MinimumBudget, IsOneWhereExactRunsOutOfStates) {
  for (unsigned seed = 1; seed <= programs(60); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    EXPECT_THAT(check_one_minimum(random_program(random, 16), "auto"), IsEmpty());
  }
}

// Chains of random sizes, which rotor takes too.
TEST(MinimumBudget, IsOneForEveryBudgetOfAChain) {
  for (unsigned seed = 1; seed <= programs(20); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<std::int64_t> bytes;
    std::vector<double> cost_us;
    for (int stage = 0; stage < 20; ++stage) {
      bytes.push_back(std::uniform_int_distribution<std::int64_t>(1, 50)(random));
      cost_us.push_back(std::uniform_int_distribution<int>(1, 9)(random));
    }
    EXPECT_THAT(check_one_minimum(chain_program(bytes, cost_us), "auto"), IsEmpty());
  }
}

TEST(MinimumBudget, IsOneWithinAFrontier) {
  for (unsigned seed = 1; seed <= programs(20); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Program program = random_program(random, 60);
    const PlanRequest few{.iterations = kIterations, .wants_bound = false};
    const std::int64_t minimum_bytes = minimum_budget(program, few).budget_bytes;
    Complaints wrong;
    for (const PlanResult& result :
         plan_frontier(program, "auto", budgets_around(program, minimum_bytes), few)) {
      check_answer(result, minimum_bytes, wrong);
    }
    EXPECT_THAT(wrong.list(), IsEmpty());
  }
}

TEST(MinimumBudget, IsTheSameForSearchWhereAutoPicksSearch) {
  const Program program = generate_transformer({.layers = 2, .width = 32, .context = 16});
  const MinimumBudget minimum = minimum_budget(program, {.iterations = kIterations});
  EXPECT_EQ(plan(program, "search", minimum.budget_bytes - 1).minimum->budget_bytes,
            minimum.budget_bytes);
}

TEST(MinimumBudget, RejectsABrokenProgram) {
  Program program = chain_of_three();
  program.values[1].bytes = -1;
  EXPECT_THROW(minimum_budget(program), std::invalid_argument);
}

}  // namespace
}  // namespace reprise::plan
