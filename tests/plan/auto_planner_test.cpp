// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/auto_planner.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/generate/chain.h"
#include "reprise/plan/generate/transformer.h"
#include "reprise/plan/planners.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/small_programs.h"

namespace reprise::plan {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

Program long_chain() { return generate_chain({.layers = 30, .width = 64, .batch = 256}); }
Program small_transformer() {
  return generate_transformer({.layers = 2, .width = 32, .context = 16});
}

std::int64_t half(const Program& program) { return simulate_keep_all(program).peak_bytes / 2; }

PlanResult plan(const Program& program, PlanRequest request) {
  request.wants_bound = false;
  return make_plan(program, "auto", request);
}

TEST(Auto, KeepsEverythingIfThatFits) {
  const Program program = long_chain();
  const PlanResult result = plan(program, {.budget_bytes = simulate_keep_all(program).peak_bytes});
  EXPECT_EQ(result.recompute_us, 0);
  EXPECT_EQ(result.note, "picked keep_all because everything fits");
}

TEST(Auto, ProvesTheOptimumOfSmallPrograms) {
  const PlanResult result =
      plan(chain_program({10, 20, 30, 40}, {1, 2, 3, 4}), {.budget_bytes = 70});
  EXPECT_EQ(result.note, "picked exact because the program is small enough to try everything");
  EXPECT_TRUE(result.is_proved);
}

TEST(Auto, AsksSearchTooIfExactRunsOutOfIterations) {
  const Program program =
      chain_program({15, 28, 31, 47, 12, 63, 29, 38, 55, 21, 17, 42, 33, 26, 51, 19},
                    {3, 7, 2, 9, 4, 8, 1, 6, 5, 3, 8, 2, 7, 4, 9, 1});
  const PlanResult result = plan(program, {.budget_bytes = half(program), .iterations = 1});
  EXPECT_THAT(result.note, HasSubstr("ran out of iterations"));
  EXPECT_FALSE(result.is_proved);
}

TEST(Auto, GivesExactAMillionStepsAtMost) {
  const Program program = triples_program(16);
  std::int64_t steps = 0;
  const PlanResult result = plan(
      program, {.budget_bytes = half(program), .on_progress = [&](const PlanProgress& progress) {
                  steps = progress.iterations;
                  return progress.fraction <= 0.5;
                }});
  EXPECT_FALSE(result.is_proved);
  EXPECT_LT(steps, 2'100'000);  // for the floor and for the budget
}

TEST(Auto, SaysThatAPlanOfASmallProgramIsNotProved) {
  const Program program = triples_program(16);
  const PlanResult result = plan(program, {.budget_bytes = half(program), .iterations = 3000});
  EXPECT_THAT(result.note, HasSubstr("ran out of iterations"));
}

TEST(Auto, TakesTheBetterOfRotorAndSearchForChains) {
  const Program program = long_chain();
  const PlanRequest request{.budget_bytes = half(program), .iterations = 50, .wants_bound = false};
  const PlanResult result = plan(program, request);
  const PlanResult rotor = make_plan(program, "rotor", request);
  const PlanResult search = make_plan(program, "search", request);
  EXPECT_EQ(result.recompute_us, std::min(rotor.recompute_us, search.recompute_us));
  EXPECT_EQ(result.iterations, rotor.iterations + search.iterations);
  EXPECT_THAT(result.note,
              AnyOf(HasSubstr("beats that of rotor"), HasSubstr("search finds nothing better")));
}

TEST(Auto, SearchesEverythingElseAndSaysWhyNot) {
  const Program program = small_transformer();
  const PlanRequest request{.budget_bytes = half(program), .iterations = 30};
  const PlanResult result = plan(program, request);
  EXPECT_THAT(result.note, StartsWith("picked search because the program is too large for exact, "
                                      "and for rotor it is no chain: "));
  EXPECT_EQ(result.schedule->replays, make_plan(program, "search", request).schedule->replays);
  EXPECT_LE(result.iterations, 30);
}

TEST(Auto, PassesTheSeedOn) {
  const Program program = small_transformer();
  const PlanRequest request{.budget_bytes = half(program), .iterations = 30, .seed = 7};
  EXPECT_EQ(plan(program, request).schedule->replays,
            make_plan(program, "search", request).schedule->replays);
}

TEST(Auto, IsCancelledBetweenItsPlannersToo) {
  const Program program = long_chain();
  int calls = 0;
  const PlanResult result =
      plan(program, {.budget_bytes = half(program),
                     .on_progress = [&](const PlanProgress&) { return ++calls < 3; }});
  EXPECT_EQ(calls, 3);
  EXPECT_TRUE(result.is_cancelled);
  EXPECT_THAT(result.note, HasSubstr("no time to ask search"));
}

TEST(Auto, ReportsProgressThatOnlyGrows) {
  const Program program = long_chain();
  std::vector<double> fractions;
  plan(program, {.budget_bytes = half(program),
                 .iterations = 50,
                 .on_progress = [&](const PlanProgress& progress) {
                   fractions.push_back(progress.fraction);
                   return true;
                 }});
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_GT(fractions.back(), 0.1);
}

TEST(Auto, StopsWhenItsTimeIsUp) {
  const Program program = long_chain();
  const PlanResult result = plan(program, {.budget_bytes = half(program), .time_limit_s = 1e-6});
  EXPECT_TRUE(result.is_out_of_time);
}

}  // namespace
}  // namespace reprise::plan
