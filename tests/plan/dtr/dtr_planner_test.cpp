// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/dtr/dtr_planner.h"

#include <cstdint>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/planners.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/random_program.h"
#include "tests/plan/small_programs.h"

namespace reprise::plan {
namespace {

using testing::IsEmpty;

Program chain_of(std::size_t stages) {
  return chain_program(std::vector<std::int64_t>(stages, 1), std::vector<double>(stages, 1));
}

TEST(Dtr, ReplaysNothingWithRoomForEverything) {
  EXPECT_THAT(run_online(chain_of(20), {.budget_bytes = 100}, {}).replays, IsEmpty());
}

TEST(Dtr, NeedsAboutOneMoreForwardPassAtTwiceTheSquareRoot) {
  const Program program = chain_of(100);
  const PlanResult result = make_plan(program, "dtr", {.budget_bytes = 20});
  ASSERT_TRUE(result.schedule.has_value());
  EXPECT_LE(result.peak_bytes, 20);
  EXPECT_LE(result.replays, 100);
}

TEST(Dtr, OffersEachScore) {
  const Program program = chain_of(30);
  EXPECT_TRUE(
      make_plan(program, "dtr", {.budget_bytes = 15, .options = {{"score", "lru"}}}).schedule);
  EXPECT_TRUE(
      make_plan(program, "dtr", {.budget_bytes = 15, .options = {{"score", "dtr"}}}).schedule);
  EXPECT_THROW(make_plan(program, "dtr", {.options = {{"score", "x"}}}), std::invalid_argument);
}

TEST(Dtr, NeverRebuildsWhatPinnedOpsMake) {
  Program program = chain_of(12);
  program.recipes[4].name = "expensive";
  const DtrRun free = run_online(program, {.budget_bytes = 5}, {});
  const DtrRun pinned = run_online(program, {.budget_bytes = 5}, {"expensive"});
  const auto replays_of_four = [](const DtrRun& run) {
    int count = 0;
    for (const Replays& replays : run.replays) {
      count += static_cast<int>(std::count(replays.recipes.begin(), replays.recipes.end(), 4));
    }
    return count;
  };
  EXPECT_GT(replays_of_four(free), 0);
  EXPECT_EQ(replays_of_four(pinned), 0);
}

TEST(Dtr, StopsReplayingWhenItThrashes) {
  const DtrRun run = run_online(chain_of(40), {.budget_bytes = 3, .most_replays_per_op = 1}, {});
  EXPECT_TRUE(run.is_thrashing);
}

TEST(Dtr, StopsWithinARun) {
  int calls = 0;
  const dtr::CacheOptions options{.budget_bytes = 50, .go_on = [&] { return ++calls < 3; }};
  const DtrRun run = run_online(chain_of(2000), options, {});
  EXPECT_TRUE(run.is_stopped);
  EXPECT_EQ(calls, 3);
}

TEST(Dtr, StopsWithinASearchForASlowScore) {
  int calls = 0;
  const dtr::CacheOptions options{
      .budget_bytes = 50, .score = dtr::Score::kMsps, .go_on = [&] { return ++calls < 3; }};
  const DtrRun run = run_online(chain_of(2000), options, {});
  EXPECT_TRUE(run.is_stopped);
  EXPECT_EQ(calls, 3);
}

TEST(Dtr, IsCancelledWithinItsFirstRun) {
  int calls = 0;
  const PlanResult result = make_plan(
      chain_of(2000), "dtr", {.budget_bytes = 50, .on_progress = [&](const PlanProgress& progress) {
                                EXPECT_EQ(progress.iterations, 0);
                                return ++calls < 3;
                              }});
  EXPECT_EQ(calls, 3);
  EXPECT_TRUE(result.is_cancelled);
  EXPECT_EQ(result.note, "score eq, stopped early");
}

TEST(Dtr, TakesTheLargestBudgetThereIs) {
  const PlanResult result =
      make_plan(chain_of(4), "dtr", {.budget_bytes = std::numeric_limits<std::int64_t>::max()});
  EXPECT_EQ(result.recompute_us, 0);
}

// What the cache believes it holds is never less than what the simulator charges.
TEST(Dtr, FitsItsOwnBudgetUnlessItHadToOverrun) {
  int checked = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const Program program = random_program(random);
    const std::int64_t budget_bytes = simulate_keep_all(program).peak_bytes * 9 / 10;
    const DtrRun run = run_online(program, {.budget_bytes = budget_bytes}, {});
    if (run.overruns == 0 && !run.is_thrashing) {
      Schedule schedule;
      schedule.replays = run.replays;
      EXPECT_LE(simulate(program, schedule).peak_bytes, budget_bytes);
      ++checked;
    }
  }
  EXPECT_GT(checked, 50);
}

}  // namespace
}  // namespace reprise::plan
