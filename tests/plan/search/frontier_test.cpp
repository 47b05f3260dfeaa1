// SPDX-License-Identifier: Apache-2.0
// A plan for one budget is about as good as that of the same budget within a frontier, which may
// take what was found for other budgets.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/generate/random.h"
#include "reprise/plan/peak_floor.h"
#include "reprise/plan/planners.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/program_count.h"
#include "tests/plan/recorded_programs.h"

namespace reprise::plan {
namespace {

using testing::Le;

// The most that a single plan takes longer than the frontier's, in points of the plain step, over
// budgets between the floor and the peak with everything kept. A budget that is met by the frontier
// alone counts as the whole step.
double worst_points(const Program& program, std::int64_t iterations) {
  const std::int64_t floor_bytes = peak_floor(program).bytes;
  const std::int64_t range_bytes = simulate_keep_all(program).peak_bytes - floor_bytes;
  std::vector<std::int64_t> budgets;
  for (const int percent : {5, 15, 25, 40, 55, 70, 85}) {
    budgets.push_back(floor_bytes + range_bytes * percent / 100);
  }
  PlanRequest request{.iterations = iterations, .wants_bound = false};
  double worst = 0;
  for (const PlanResult& in_frontier : plan_frontier(program, "search", budgets, request)) {
    request.budget_bytes = in_frontier.budget_bytes;
    const PlanResult single = make_plan(program, "search", request);
    const double us = single.schedule ? single.recompute_us : program.step_us;
    const double least_us = in_frontier.schedule ? in_frontier.recompute_us : program.step_us;
    worst = std::max(worst, 100 * (us - least_us) / program.step_us);
  }
  return worst;
}

class SinglePlan : public testing::TestWithParam<std::string> {};

TEST_P(SinglePlan, IsWithinAThirdOfAPointOfTheFrontiers) {
  EXPECT_THAT(worst_points(recorded_program(GetParam()), kIsOptimised ? 1000 : 60), Le(0.3));
}

INSTANTIATE_TEST_SUITE_P(Recorded, SinglePlan, testing::Values("gpt6", "resnet50", "unet"),
                         [](const auto& name) { return name.param; });

TEST(SinglePlan, IsWithinAThirdOfAPointOfTheFrontiersOnRandomPrograms) {
  for (unsigned seed = 1; seed <= programs(20); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    EXPECT_THAT(
        worst_points(generate_random({.ops = 20 + 10 * static_cast<int>(seed), .seed = seed}), 400),
        Le(0.3));
  }
}

}  // namespace
}  // namespace reprise::plan
