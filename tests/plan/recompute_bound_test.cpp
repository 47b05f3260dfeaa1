// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/recompute_bound.h"

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/peak_floor.h"
#include "reprise/plan/planners.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/chain_program.h"
#include "tests/plan/complaints.h"
#include "tests/plan/program_count.h"
#include "tests/plan/random_program.h"

namespace reprise::plan {
namespace {

using testing::IsEmpty;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(RecomputeBound, IsNothingWhereAllIsKept) {
  EXPECT_EQ(recompute_bound_us(chain_of_three(), 400), 0);
}

TEST(RecomputeBound, IsTheCheaperOfTwoValuesWhereOneHasToGo) {
  // Use C holds 100 + 3 * 100 bytes; value 1 takes 10 us, value 2 takes 20.
  EXPECT_NEAR(recompute_bound_us(chain_of_three(), 300), 10, 1e-6);
}

TEST(RecomputeBound, IsTheCheaperValueAndAShareOfTheOther) {
  // 50 bytes more than that have to go: half of the 20 us of value 2.
  EXPECT_NEAR(recompute_bound_us(chain_of_three(), 250), 20, 1e-6);
}

TEST(RecomputeBound, IsInfiniteBelowWhatAnyUseNeedsItself) {
  Program program = chain_of_three();
  EXPECT_EQ(recompute_bound_us(program, 249), kInfinity);
  // The last use, which is not among the places that are tried.
  program.uses[2].background_bytes.running = 220;
  EXPECT_EQ(recompute_bound_us(program, 319), kInfinity);
  EXPECT_NEAR(recompute_bound_us(program, 320), 8, 1e-6);
}

TEST(RecomputeBound, IsNothingForAStepWithoutUses) {
  Program program = chain_of_three();
  program.uses.clear();
  EXPECT_EQ(recompute_bound_us(program, 200), 0);
}

TEST(RecomputeBound, TriesTheFirstUseIfOnlyOneMayBeTried) {
  EXPECT_NEAR(recompute_bound_us(chain_of_three(), 300, {.most_uses = 1}), 10, 1e-6);
}

std::vector<std::string> compare_with_the_optimum(const Program& program) {
  const std::int64_t floor_bytes = peak_floor(program).bytes;
  const std::int64_t range = simulate_keep_all(program).peak_bytes - floor_bytes;
  Complaints wrong;
  for (const std::int64_t percent : {0, 15, 40, 70, 100}) {
    const std::int64_t budget_bytes = floor_bytes + range * percent / 100;
    const PlanResult optimum =
        make_plan(program, "exact", {.budget_bytes = budget_bytes, .wants_bound = false});
    const double least_us = optimum.schedule ? optimum.recompute_us : kInfinity;
    wrong.set_place(std::to_string(percent) + " %");
    for (const int most_uses : {0, 1, 1000}) {
      wrong.unless(recompute_bound_us(program, budget_bytes, {.most_uses = most_uses}) <= least_us,
                   "above the optimum with " + std::to_string(most_uses) + " uses");
    }
  }
  return wrong.list();
}

TEST(RecomputeBound, IsNeverAboveTheOptimumOfARandomProgram) {
  constexpr unsigned kPrograms = programs(1000);
  for (unsigned seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    EXPECT_THAT(compare_with_the_optimum(random_program(random)), IsEmpty());
  }
}

// The program with some values of nearly 2^50 bytes beside those of a few, and costs of up to
// 1,000 us: a price per byte times such bytes leaves no digits for the costs.
Program with_huge_values(Program program, std::mt19937& random) {
  const auto number = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  program.resident_bytes = 0;
  for (Value& value : program.values) {
    value.bytes = number(0, 2) == 0 ? number(1, 10) : (std::int64_t{1} << 50) - number(0, 1 << 30);
    program.resident_bytes += program.is_held(value) && !value.external ? value.bytes : 0;
  }
  for (Recipe& recipe : program.recipes) {
    recipe.cost_us = static_cast<double>(number(1, 1000));
    recipe.transient_bytes = 0;
  }
  for (std::size_t op = 0; op < program.forward_peak_bytes.size(); ++op) {
    program.forward_peak_bytes[op] = 0;
    for (const Value& value : program.values) {
      const auto at = static_cast<std::int64_t>(op);
      const bool is_alive = value.made_at <= at && at <= value.released_at;
      program.forward_peak_bytes[op] += is_alive && !value.external ? value.bytes : 0;
    }
  }
  require_valid(program, "with_huge_values");
  return program;
}

TEST(RecomputeBound, IsNeverAboveTheOptimumOfValuesOfManySizes) {
  constexpr unsigned kPrograms = programs(1000);
  for (unsigned seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    EXPECT_THAT(compare_with_the_optimum(with_huge_values(random_program(random), random)),
                IsEmpty());
  }
}

}  // namespace
}  // namespace reprise::plan
