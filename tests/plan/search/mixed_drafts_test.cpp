// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/mixed_drafts.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/peak_floor.h"
#include "reprise/plan/recompute_bound.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/chain_program.h"
#include "tests/plan/complaints.h"
#include "tests/plan/program_count.h"
#include "tests/plan/random_program.h"
#include "tests/plan/recorded_programs.h"

namespace reprise::plan {
namespace {

using testing::IsEmpty;
using testing::Le;
using testing::Not;

struct Drafts {
  std::vector<JudgedSchedule> offered;
  int asked = 0;
};

Drafts drafts_of(const Program& program, std::int64_t budget_bytes,
                 int leaves = std::numeric_limits<int>::max()) {
  Drafts drafts;
  offer_mixed_drafts(
      program, budget_bytes, [&] { return drafts.asked++ < leaves; },
      [&](JudgedSchedule draft) { drafts.offered.push_back(std::move(draft)); });
  return drafts;
}

// In points of the step above what every schedule costs; nothing: no draft fits.
std::optional<double> gap_points(const Program& program, double share, int leaves) {
  const auto budget_bytes =
      static_cast<std::int64_t>(share * static_cast<double>(simulate_keep_all(program).peak_bytes));
  std::optional<double> least_us;
  for (const JudgedSchedule& draft : drafts_of(program, budget_bytes, leaves).offered) {
    if (!least_us || draft.outcome.recompute_us < *least_us) {
      least_us = draft.outcome.recompute_us;
    }
  }
  if (!least_us) {
    return std::nullopt;
  }
  return 100 * (*least_us - recompute_bound_us(program, budget_bytes)) / program.step_us;
}

TEST(MixedDrafts, AreNearTheBoundInADeepTransformerAfterTwentySteps) {
  const Program program = deep_gpt(150);
  EXPECT_THAT(gap_points(program, .50, 20), testing::Optional(Le(0.3)));
  EXPECT_THAT(gap_points(program, .33, 20), testing::Optional(Le(0.3)));
  EXPECT_THAT(gap_points(program, .28, 20), testing::Optional(Le(2.0)));
}

TEST(MixedDrafts, OffersTheOptimumOfThreeStages) {
  const std::vector<JudgedSchedule> offered = drafts_of(chain_of_three(), 300).offered;
  ASSERT_THAT(offered, Not(IsEmpty()));
  EXPECT_EQ(offered.front().outcome.recompute_us, 10);
}

TEST(MixedDrafts, EndWhereverTheyMayNotGoOn) {
  const Program program = recorded_program("gpt6");
  const std::int64_t budget_bytes = simulate_keep_all(program).peak_bytes / 2;
  for (int leaves = 0; leaves < 60; ++leaves) {
    SCOPED_TRACE(testing::Message() << leaves << " leaves");
    // The bound ends, and whoever comes next asks as well.
    EXPECT_THAT(drafts_of(program, budget_bytes, leaves).asked, Le(leaves + 2));
  }
}

std::vector<std::string> check(unsigned seed) {
  std::mt19937 random(seed);
  const Program program = random_program(random, 30);
  const std::int64_t floor_bytes = peak_floor(program).bytes;
  const std::int64_t range = simulate_keep_all(program).peak_bytes - floor_bytes;
  Complaints wrong;
  for (const std::int64_t percent : {0, 30, 70}) {
    const std::int64_t budget_bytes = floor_bytes + range * percent / 100;
    for (const JudgedSchedule& draft : drafts_of(program, budget_bytes).offered) {
      const Simulation simulation = simulate(program, draft.schedule);
      wrong.unless(simulation.peak_bytes <= budget_bytes, "does not fit");
      wrong.unless(simulation.peak_bytes == draft.outcome.peak_bytes, "another peak");
      wrong.unless(simulation.recompute_us == draft.outcome.recompute_us, "another cost");
    }
  }
  return wrong.list();
}

TEST(MixedDrafts, FitOnRandomPrograms) {
  for (unsigned seed = 1; seed <= programs(200); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    EXPECT_THAT(check(seed), IsEmpty());
  }
}

}  // namespace
}  // namespace reprise::plan
