// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/search_planner.h"

#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/generate/transformer.h"
#include "reprise/plan/planners.h"
#include "reprise/plan/search/seeds.h"
#include "reprise/plan/serialize.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/chain_program.h"
#include "tests/plan/complaints.h"
#include "tests/plan/recorded_programs.h"
#include "tests/plan/small_programs.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Program& unet() {
  static const Program program = recorded_program("unet");
  return program;
}

std::int64_t share_of_keep_all(const Program& program, double share) {
  return static_cast<std::int64_t>(share *
                                   static_cast<double>(simulate_keep_all(program).peak_bytes));
}

// A request for half of the U-Net's bytes, which takes replays to meet.
PlanRequest half_a_unet(std::int64_t iterations) {
  PlanRequest request;
  request.budget_bytes = share_of_keep_all(unet(), 0.5);
  request.iterations = iterations;
  request.wants_bound = false;
  return request;
}

TEST(SearchPlanner, KeepsEverythingThatFits) {
  const PlanResult result = make_plan(chain_of_three(), "search", {.budget_bytes = 400});
  ASSERT_TRUE(result.schedule.has_value());
  EXPECT_THAT(result.schedule->replays, IsEmpty());
  EXPECT_EQ(result.iterations, 0);
}

TEST(SearchPlanner, FindsTheOptimumOfAChainThatIsWorkedOutByHand) {
  const PlanResult result = make_plan(chain_of_three(), "search", {.budget_bytes = 300});
  ASSERT_TRUE(result.schedule.has_value());
  EXPECT_THAT(result.schedule->replays, ElementsAre(Replays{.before_use = 2, .recipes = {0}}));
  EXPECT_EQ(result.recompute_us, 10);
}

TEST(SearchPlanner, GivesTheSameBytesForTheSameSeed) {
  const auto json = [](std::uint64_t seed) {
    PlanRequest request = half_a_unet(200);
    request.seed = seed;
    return write_schedule(*make_plan(unet(), "search", request).schedule);
  };
  EXPECT_EQ(json(7), json(7));
  EXPECT_NE(json(7), json(8));  // or the seed would say nothing
}

TEST(SearchPlanner, DoesNoMoreIterationsThanItMay) {
  EXPECT_EQ(make_plan(unet(), "search", half_a_unet(50)).iterations, 50);
}

TEST(SearchPlanner, GainsFromMoreIterations) {
  EXPECT_LT(make_plan(unet(), "search", half_a_unet(500)).recompute_us,
            make_plan(unet(), "search", half_a_unet(1)).recompute_us);
}

TEST(SearchPlanner, AnswersWithTheBestSoFarWhenItsCallerCancels) {
  PlanRequest request = half_a_unet(100'000'000);
  PlanProgress last;
  request.on_progress = [&](const PlanProgress& progress) {
    last = progress;
    return progress.iterations < 100;
  };
  const PlanResult result = make_plan(unet(), "search", request);
  EXPECT_TRUE(result.is_cancelled);
  EXPECT_LT(result.iterations, 200);
  ASSERT_TRUE(result.schedule.has_value());
  EXPECT_LE(result.peak_bytes, request.budget_bytes);
  EXPECT_TRUE(last.fits);
  EXPECT_LE(result.recompute_us, last.best_recompute_us);
}

// What an answer to a request that is cancelled at its `last_report`th report has wrong.
std::vector<std::string> check_cancelled(const Program& program, std::int64_t budget_bytes,
                                         int last_report) {
  int reports = 0;
  std::int64_t iterations = 0;
  const PlanResult result = make_plan(program, "search",
                                      {.budget_bytes = budget_bytes,
                                       .wants_bound = false,
                                       .on_progress = [&](const PlanProgress& progress) {
                                         iterations = progress.iterations;
                                         return ++reports < last_report;
                                       }});
  Complaints wrong;
  wrong.unless(reports == last_report, "reports " + std::to_string(reports) + " times");
  wrong.unless(result.is_cancelled, "does not say that it was cancelled");
  wrong.unless(result.iterations <= iterations + 1, "goes on for some iterations");
  wrong.unless(result.schedule.has_value() || result.minimum.has_value(), "has no answer");
  return wrong.list();
}

TEST(SearchPlanner, EndsAtOnceWhereverItsCallerCancels) {
  const Program program = generate_transformer({.layers = 6});
  const std::int64_t budget_bytes = share_of_keep_all(program, 0.4);
  for (const int last_report : {1, 2, 3, 5, 8, 13, 21, 34, 55, 89}) {
    SCOPED_TRACE(testing::Message() << "report " << last_report);
    EXPECT_THAT(check_cancelled(program, budget_bytes, last_report), IsEmpty());
  }
}

TEST(SearchPlanner, ReportsWhileItMakesItsFirstDrafts) {
  const Program program = generate_transformer({.layers = 6});
  int reports = 0;
  make_plan(program, "search",
            {.budget_bytes = share_of_keep_all(program, 0.4),
             .wants_bound = false,
             .on_progress = [&](const PlanProgress& progress) {
               reports += progress.iterations == 0 ? 1 : 0;
               return progress.iterations == 0;
             }});
  EXPECT_THAT(reports, testing::Ge(10));
}

TEST(SearchPlanner, StopsAtItsTimeLimit) {
  PlanRequest request = half_a_unet(1'000'000'000'000);  // for days
  request.time_limit_s = 0.05;
  const PlanResult result = make_plan(unet(), "search", request);
  EXPECT_TRUE(result.is_out_of_time);
  EXPECT_LT(result.iterations, request.iterations);
}

TEST(SearchPlanner, SaysThatNoTimeWasLeft) {
  PlanRequest request = half_a_unet(100);
  request.time_limit_s = 1e-9;
  const PlanResult result = make_plan(unet(), "search", request);
  EXPECT_TRUE(result.is_out_of_time);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_TRUE(result.schedule.has_value() || result.minimum.has_value());
}

TEST(SearchPlanner, HasAPlanForATenthOfALongStepThoughNoTimeWasLeft) {
  const Program program = recorded_program("lstm300");
  EXPECT_TRUE(make_plan(program, "search",
                        {.budget_bytes = share_of_keep_all(program, 0.11), .time_limit_s = 1e-9})
                  .schedule.has_value());
}

// What is wrong with the order of what a planner reports.
std::vector<std::string> check_progress(const std::vector<PlanProgress>& reports,
                                        std::int64_t budget_bytes) {
  Complaints wrong;
  for (std::size_t i = 1; i < reports.size(); ++i) {
    const PlanProgress& before = reports[i - 1];
    const PlanProgress& here = reports[i];
    wrong.set_place("report " + std::to_string(i));
    wrong.unless(here.iterations >= before.iterations, "fewer iterations");
    wrong.unless(here.fraction >= before.fraction && here.fraction <= 1, "a smaller fraction");
    wrong.unless(here.fits >= before.fits, "fits no longer");
    wrong.unless(!before.fits || here.best_recompute_us <= before.best_recompute_us, "dearer");
    wrong.unless(here.iterations == 0 || here.fits == (here.best_peak_bytes <= budget_bytes),
                 "fits or not");
  }
  return wrong.list();
}

TEST(SearchPlanner, ReportsNothingThatGetsWorse) {
  PlanRequest request = half_a_unet(300);
  std::vector<PlanProgress> reports;
  request.on_progress = [&](const PlanProgress& progress) {
    reports.push_back(progress);
    return true;
  };
  make_plan(unet(), "search", request);
  EXPECT_THAT(reports, testing::SizeIs(testing::Gt(10U)));
  EXPECT_THAT(check_progress(reports, request.budget_bytes), IsEmpty());
}

TEST(SearchPlanner, NamesTheLowestPeakItFindsBelowTheMinimum) {
  PlanRequest request = half_a_unet(300);
  request.budget_bytes = share_of_keep_all(unet(), 0.372);  // just above the floor
  const PlanResult result = make_plan(unet(), "search", request);
  ASSERT_TRUE(result.minimum.has_value());
  EXPECT_EQ(simulate(unet(), result.minimum->schedule).peak_bytes, result.minimum->budget_bytes);
  Random random(request.seed);
  EXPECT_LE(result.minimum->budget_bytes,
            find_seeds(unet(), request.budget_bytes, random, [] { return true; })
                .front()
                .outcome.peak_bytes);
}

TEST(SearchPlanner, NamesTheMinimumOfAChainThatIsWorkedOutByHand) {
  Program program = chain_program({4, 4, 4, 4}, {1, 1, 1, 1});
  program.uses[0].background_bytes.running = 4;
  // Forward takes 8; use 0 takes 4 and value 3. Before use 1 recipes 0, 1 and 2 make value 2, of
  // two values at a time; value 1 stays for use 2, and recipe 0 makes value 0 again.
  EXPECT_EQ(make_plan(program, "search", {.budget_bytes = 8}).recompute_us, 4);
  program.uses[1].background_bytes.replaying = 1;
  EXPECT_EQ(make_plan(program, "search", {.budget_bytes = 8}).minimum->budget_bytes, 9);
}

TEST(SearchPlanner, CountsItsDefaultIterationsBySize) {
  // 100, and 8 for each pair of its 3 recipes.
  EXPECT_EQ(default_search_iterations(chain_of_three()), 172);
  EXPECT_EQ(default_search_iterations(recorded_program("gpt6")), 30'000);
  EXPECT_LT(default_search_iterations(deep_gpt(150)), 30'000);
}

}  // namespace
}  // namespace reprise::plan
