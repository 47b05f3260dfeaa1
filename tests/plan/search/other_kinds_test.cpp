// SPDX-License-Identifier: Apache-2.0
// The planner `search` on recorded steps of kinds that it was not tuned on: that its plans are
// right, not how good they are.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reprise/plan/peak_floor.h"
#include "reprise/plan/planners.h"
#include "reprise/plan/recompute_bound.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/program_count.h"
#include "tests/plan/recorded_programs.h"

namespace reprise::plan {
namespace {

constexpr std::int64_t kIterations = 100;  // fewer than the planner takes by itself

PlanResult searched(const Program& program, std::int64_t budget_bytes) {
  return make_plan(program, "search",
                   {.budget_bytes = budget_bytes, .iterations = kIterations, .wants_bound = false});
}

class OtherKind : public testing::TestWithParam<std::string> {
 protected:
  const Program program = recorded_program(GetParam());
  const std::int64_t floor_bytes = peak_floor(program).bytes;
  const std::int64_t keep_all_bytes = simulate_keep_all(program).peak_bytes;
};

TEST_P(OtherKind, IsPlannedWithinABudgetHalfWayDownToTheFloor) {
  const std::int64_t budget_bytes = (floor_bytes + keep_all_bytes) / 2;
  const PlanResult result = searched(program, budget_bytes);
  ASSERT_TRUE(result.schedule.has_value());
  const Simulation simulation = simulate(program, *result.schedule);
  EXPECT_LE(simulation.peak_bytes, budget_bytes);
  EXPECT_EQ(simulation.peak_bytes, result.peak_bytes);
  EXPECT_EQ(simulation.recompute_us, result.recompute_us);
  EXPECT_GT(simulation.recompute_us, 0);
  EXPECT_GE(simulation.recompute_us, recompute_bound_us(program, budget_bytes));
}

TEST_P(OtherKind, HasAMinimumThatAScheduleMeets) {
  const PlanResult result = searched(program, floor_bytes - 1);
  ASSERT_TRUE(result.minimum.has_value());
  const MinimumBudget& minimum = *result.minimum;
  EXPECT_GE(minimum.budget_bytes, floor_bytes);
  EXPECT_LT(minimum.budget_bytes, keep_all_bytes);
  EXPECT_EQ(simulate(program, minimum.schedule).peak_bytes, minimum.budget_bytes);
}

std::vector<std::string> kinds() {
  // With sanitizers each takes twenty times as long.
  return kIsOptimised ? other_kinds() : std::vector<std::string>{"other/audio_encoder"};
}

INSTANTIATE_TEST_SUITE_P(All, OtherKind, testing::ValuesIn(kinds()),
                         [](const auto& info) { return info.param.substr(6); });

}  // namespace
}  // namespace reprise::plan
