// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/candidates.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/small_programs.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;

const std::vector<Replays> kKeepAll;
const std::vector<Replays> kDropFirst = {{.before_use = 3, .recipes = {0}}};
const std::vector<Replays> kDropTwo = {{.before_use = 2, .recipes = {0, 1}}};

// Keeping all takes 100 bytes; without the first value 90, without the first two 70.
Program four_stages() { return chain_program({10, 20, 30, 40}, {1, 2, 3, 4}); }

TEST(Outcome, PrefersWhatFitsThenWhatIsFasterThenWhatIsSmaller) {
  EXPECT_TRUE(is_better({10, 9}, {11, 1}, 10));
  EXPECT_TRUE(is_better({10, 1}, {5, 2}, 10));
  EXPECT_TRUE(is_better({5, 2}, {10, 2}, 10));
  EXPECT_FALSE(is_better({5, 2}, {5, 2}, 10));
}

TEST(Outcome, PrefersTheLowerPeakIfNothingFits) {
  EXPECT_TRUE(is_better({11, 9}, {12, 1}, 10));
  EXPECT_TRUE(is_better({11, 1}, {11, 9}, 10));
}

TEST(Candidates, KeepTheFastestThatFits) {
  const Program program = four_stages();
  const PlanRequest request{.budget_bytes = 90};
  Candidates candidates(program, request, 3);
  candidates.offer(kKeepAll);
  EXPECT_FALSE(candidates.last_fits());
  candidates.offer(kDropFirst);
  EXPECT_TRUE(candidates.last_fits());
  candidates.describe_last("the first");
  candidates.offer(kDropTwo);
  candidates.describe_last("two");
  ASSERT_TRUE(candidates.answer().has_value());
  EXPECT_EQ(candidates.answer()->schedule.replays, kDropFirst);
  EXPECT_EQ(candidates.answer()->note, "the first");
  EXPECT_EQ(candidates.answer()->iterations, 3);
  EXPECT_TRUE(candidates.answer()->fits);
}

TEST(Candidates, KeepTheLowestPeakIfNothingFits) {
  const Program program = four_stages();
  const PlanRequest request{.budget_bytes = 70};
  Candidates candidates(program, request, 3);
  candidates.offer(kKeepAll);
  candidates.offer(kDropFirst);
  EXPECT_EQ(candidates.answer()->schedule.replays, kDropFirst);
  EXPECT_FALSE(candidates.answer()->fits);
}

TEST(Candidates, HaveNoAnswerBeforeTheFirstOffer) {
  const Program program = four_stages();
  const PlanRequest request;
  EXPECT_FALSE(Candidates(program, request, 1).answer().has_value());
}

TEST(Candidates, StopAfterTheIterationsOfTheRequest) {
  const Program program = four_stages();
  const PlanRequest request{.budget_bytes = 70, .iterations = 2};
  Candidates candidates(program, request, 9);
  EXPECT_TRUE(candidates.offer(kKeepAll));
  EXPECT_FALSE(candidates.offer(kDropFirst));
}

TEST(Candidates, StopWhenTheTimeIsOver) {
  const Program program = four_stages();
  const PlanRequest request{.budget_bytes = 70, .time_limit_s = 1e-12};
  Candidates candidates(program, request, 9);
  EXPECT_FALSE(candidates.offer(kKeepAll));
  EXPECT_TRUE(candidates.answer()->is_out_of_time);
}

TEST(Candidates, ReportTheBestSoFar) {
  std::vector<double> fractions;
  std::vector<std::int64_t> peaks;
  const Program program = four_stages();
  const PlanRequest request{.budget_bytes = 70, .on_progress = [&](const PlanProgress& progress) {
                              fractions.push_back(progress.fraction);
                              peaks.push_back(progress.best_peak_bytes);
                              return progress.iterations < 3;
                            }};
  Candidates candidates(program, request, 4);
  candidates.offer(kDropFirst);
  candidates.offer(kKeepAll);
  EXPECT_FALSE(candidates.offer(kDropTwo));
  EXPECT_TRUE(candidates.answer()->is_cancelled);
  EXPECT_THAT(fractions, ElementsAre(0.25, 0.5, 0.75));
  EXPECT_THAT(peaks, ElementsAre(90, 90, 70));
}

}  // namespace
}  // namespace reprise::plan
