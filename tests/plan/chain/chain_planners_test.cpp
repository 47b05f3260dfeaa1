// SPDX-License-Identifier: Apache-2.0
// The planners of the table that take programs that are chains, on chains whose optimum is known.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/chain/lower.h"
#include "reprise/plan/chain/rotor.h"
#include "reprise/plan/generate/chain.h"
#include "reprise/plan/generate/transformer.h"
#include "reprise/plan/planners.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/chain/chains.h"
#include "tests/plan/small_programs.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Ten equal stages of 10 bytes and 1 us; each use needs what its stage makes, nothing else.
Program ten_stages() {
  return chain_program(std::vector<std::int64_t>(10, 10), std::vector<double>(10, 1));
}

PlanResult plan(const Program& program, const std::string& planner, std::int64_t budget_bytes) {
  return make_plan(program, planner, {.budget_bytes = budget_bytes, .wants_bound = false});
}

// The replays, 1 us each, of ten_stages(), by budgets of 40, 50, ..., 100 bytes.
std::vector<double> recompute_us(const std::string& planner) {
  std::vector<double> all;
  for (std::int64_t budget_bytes = 40; budget_bytes <= 100; budget_bytes += 10) {
    all.push_back(plan(ten_stages(), planner, budget_bytes).recompute_us);
  }
  return all;
}

TEST(ChainPlanners, ReachTheOptimumOfEqualStagesWithNothingButStates) {
  const std::vector<double> optimum = recompute_us("exact");
  EXPECT_THAT(optimum, ElementsAre(6, 5, 4, 3, 2, 1, 0));
  EXPECT_EQ(recompute_us("revolve"), optimum);
  EXPECT_EQ(recompute_us("rotor"), optimum);
}

TEST(Revolve, TakesTheAdvancesOfTheTheoremLessTheForwardRun) {
  // Three snapshots, the input one of them: t(10, 3) = 2 * 10 - 5 = 15, 9 of them in forward. Two
  // values stay while one is read and the next is made.
  const PlanResult result = plan(ten_stages(), "revolve", 40);
  EXPECT_EQ(result.peak_bytes, 40);
  EXPECT_EQ(result.recompute_us, 6);
  EXPECT_EQ(result.note, "room for 3 snapshots of 10 stages");
}

TEST(Rotor, IsAtLeastAsFastAsItsOwnChainSays) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const Chain chain = random_plain_chain(seed);
    const Program program = program_of(chain);
    const RotorTable table(chain, 80, 80);
    for (std::int64_t budget_bytes = table.minimum_bytes(); budget_bytes <= 80; budget_bytes += 9) {
      SCOPED_TRACE(budget_bytes);
      const PlanResult result = plan(program, "rotor", budget_bytes - chain.input_bytes);
      ASSERT_TRUE(result.schedule.has_value());
      EXPECT_LE(result.recompute_us,
                table.plan(budget_bytes)->usage.time_us - plain_us(chain) + 1e-9);
    }
  }
}

TEST(ChainPlanners, FitGeneratedChainsAtHalfTheirPeak) {
  const Program program = generate_chain({.layers = 30, .width = 64, .batch = 256});
  const std::int64_t budget_bytes = simulate_keep_all(program).peak_bytes / 2;
  const PlanResult rotor = plan(program, "rotor", budget_bytes);
  ASSERT_TRUE(rotor.schedule.has_value());
  EXPECT_LE(rotor.recompute_us, plan(program, "revolve", budget_bytes).recompute_us);
  EXPECT_LE(rotor.recompute_us, plan(program, "mixed", budget_bytes).recompute_us);
  EXPECT_TRUE(plan(program, "revolve", budget_bytes).schedule.has_value());
  EXPECT_TRUE(plan(program, "mixed", budget_bytes).schedule.has_value());
}

TEST(ChainPlanners, RefuseProgramsThatAreNoChains) {
  const Program program = generate_transformer({.layers = 1});
  try {
    plan(program, "rotor", 1);
    FAIL() << "nothing was thrown";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("takes this program, got rotor: it is no chain: "));
  }
  EXPECT_THROW(plan(program, "revolve", 1), std::invalid_argument);
  EXPECT_THROW(plan(program, "mixed", 1), std::invalid_argument);
}

// A budget of a chain, input included, with the time of the best persistent plan and that of the
// fastest plan there is, forward and backward included.
struct TimesAt {
  std::int64_t budget_bytes = 0;
  double persistent_us = 0;
  double fastest_us = 0;
};

// The budgets at which the planner is not between the two, with its time.
std::vector<std::pair<std::int64_t, double>> outside(const Chain& chain, const std::string& planner,
                                                     const std::vector<TimesAt>& table) {
  const Program program = program_of(chain);
  std::vector<std::pair<std::int64_t, double>> wrong;
  for (const TimesAt& times : table) {
    const PlanResult result = plan(program, planner, times.budget_bytes - chain.input_bytes);
    const double time_us = result.schedule ? plain_us(chain) + result.recompute_us : kNever;
    if (time_us < times.fastest_us || time_us > times.persistent_us) {
      wrong.emplace_back(times.budget_bytes, time_us);
    }
  }
  return wrong;
}

class PlannersOfAnyProgram : public testing::TestWithParam<std::string> {};

TEST_P(PlannersOfAnyProgram, AreAsFastAsPersistentPlansOfSixEqualStages) {
  EXPECT_THAT(outside(uniform6(), GetParam(),
                      {{6, 33, 33},
                       {7, 26, 25},
                       {8, 23, 23},
                       {9, 22, 21},
                       {10, 21, 21},
                       {11, 21, 20},
                       {12, 20, 20},
                       {13, 20, 19},
                       {14, 19, 19},
                       {15, 18, 18}}),
              IsEmpty());
}

TEST_P(PlannersOfAnyProgram, AreAsFastAsPersistentPlansOfFiveUnequalStages) {
  EXPECT_THAT(outside(hetero5(), GetParam(),
                      {{14, 58, 57},
                       {15, 54, 54},
                       {16, 50, 50},
                       {17, 47, 47},
                       {18, 46, 46},
                       {20, 46, 45},
                       {22, 46, 44},
                       {23, 44, 43},
                       {24, 43, 43},
                       {26, 42, 42}}),
              IsEmpty());
}

TEST_P(PlannersOfAnyProgram, AreAsFastAsPersistentPlansOfSixShrinkingStages) {
  EXPECT_THAT(outside(pyramid6(), GetParam(),
                      {{52, 46, 46},
                       {54, 45, 45},
                       {60, 44, 43},
                       {62, 43, 43},
                       {68, 42, 42},
                       {70, 41, 41},
                       {76, 40, 40},
                       {78, 39, 39}}),
              IsEmpty());
}

TEST_P(PlannersOfAnyProgram, AreAsFastAsPersistentPlansOfCheapStagesWithBigRecords) {
  EXPECT_THAT(outside(cheapbig5(), GetParam(),
                      {{28, 95, 95},
                       {29, 94, 76},
                       {32, 84, 76},
                       {33, 75, 74},
                       {34, 75, 65},
                       {37, 74, 65},
                       {42, 65, 65},
                       {46, 65, 64},
                       {50, 64, 64},
                       {58, 63, 63}}),
              IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(OfTheTable, PlannersOfAnyProgram, testing::Values("search", "auto"),
                         [](const auto& instance) { return instance.param; });

TEST(BlockRotor, PlansAProgramThatIsNoChain) {
  const Program program = generate_transformer({.layers = 6, .width = 64, .context = 32});
  const std::int64_t keep_all_bytes = simulate_keep_all(program).peak_bytes;
  const PlanResult result = plan(program, "block_rotor", keep_all_bytes / 2);
  ASSERT_TRUE(result.schedule.has_value());
  EXPECT_LT(result.overhead, 0.33);  // a second forward pass
  EXPECT_THAT(result.note, HasSubstr(" blocks"));
}

}  // namespace
}  // namespace reprise::plan
