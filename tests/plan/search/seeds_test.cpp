// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/seeds.h"

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/candidates.h"
#include "reprise/plan/generate/transformer.h"
#include "reprise/plan/peak_floor.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/chain_program.h"
#include "tests/plan/complaints.h"
#include "tests/plan/program_count.h"
#include "tests/plan/random_program.h"
#include "tests/plan/small_programs.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::Ge;
using testing::IsEmpty;
using testing::Le;
using testing::Not;
using testing::SizeIs;

std::vector<JudgedSchedule> seeds_of(
    const Program& program, std::int64_t budget_bytes,
    const std::function<bool()>& go_on = [] { return true; }) {
  Random random(1);
  return find_seeds(program, budget_bytes, random, go_on);
}

TEST(FindSeeds, BeginsWithTheCheapestThatFits) {
  const std::vector<JudgedSchedule> seeds = seeds_of(chain_of_three(), 300);
  EXPECT_THAT(seeds.front().schedule.replays,
              ElementsAre(Replays{.before_use = 2, .recipes = {0}}));
  EXPECT_EQ(seeds.front().outcome.peak_bytes, 300);
  EXPECT_EQ(seeds.front().outcome.recompute_us, 10);
}

TEST(FindSeeds, BeginsWithTheLowestPeakIfNoneFits) {
  EXPECT_EQ(seeds_of(chain_of_three(), 249).front().outcome.peak_bytes, 250);
}

TEST(FindSeeds, GivesOneSeedThoughItMayNotGoOn) {
  EXPECT_THAT(seeds_of(chain_of_three(), 250, [] { return false; }), SizeIs(1));
}

// How often it asks whether it may go on, if the answer is yes `leaves` times.
int times_asked(const Program& program, std::int64_t budget_bytes, int leaves) {
  int asked = 0;
  const std::vector<JudgedSchedule> seeds =
      seeds_of(program, budget_bytes, [&] { return asked++ < leaves; });
  EXPECT_THAT(seeds, Not(IsEmpty()));
  return asked;
}

TEST(FindSeeds, AsksBeforeEachDraftAndWithinEachShave) {
  const Program program = generate_transformer({.layers = 4});
  const std::int64_t budget_bytes = simulate_keep_all(program).peak_bytes / 2;
  // 24 prices, 11 numbers of blocks, and two shaves of each at the least.
  EXPECT_THAT(times_asked(program, budget_bytes, std::numeric_limits<int>::max()), Ge(105));
}

TEST(FindSeeds, StopsSoonAfterARefusalWhereverItComes) {
  const Program program = generate_transformer({.layers = 4});
  const std::int64_t budget_bytes = simulate_keep_all(program).peak_bytes / 2;
  for (int leaves = 0; leaves < 400; leaves += 7) {
    SCOPED_TRACE(testing::Message() << leaves << " leaves");
    // Whoever is under way asks once more at the most: the bound, a draft, a shave, its pruning.
    EXPECT_THAT(times_asked(program, budget_bytes, leaves), Le(leaves + 5));
  }
}

TEST(FindSeeds, AnswersWithTheBestDraftIfNoneMayBeShaved) {
  // Everything else takes leave: 24 prices and 11 numbers of blocks have it.
  const Program program = generate_transformer({.layers = 4});
  const std::int64_t keep_all_bytes = simulate_keep_all(program).peak_bytes;
  int left = 30;
  EXPECT_LT(seeds_of(program, keep_all_bytes * 3 / 4, [&left] { return left-- > 0; })
                .front()
                .outcome.peak_bytes,
            keep_all_bytes);
}

std::vector<std::string> check(unsigned seed) {
  std::mt19937 draw(seed);
  const Program program = random_program(draw, 20);
  const std::int64_t floor_bytes = peak_floor(program).bytes;
  const std::int64_t range = simulate_keep_all(program).peak_bytes - floor_bytes;
  const std::int64_t budget_bytes = floor_bytes + range * static_cast<int>(seed % 100) / 100;
  const std::vector<JudgedSchedule> seeds = seeds_of(program, budget_bytes);
  Complaints wrong;
  wrong.unless(!seeds.empty(), "none");
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    wrong.set_place("seed " + std::to_string(i));
    const Simulation simulation = simulate(program, seeds[i].schedule);
    wrong.unless(seeds[i].outcome.peak_bytes == simulation.peak_bytes, "another peak");
    wrong.unless(seeds[i].outcome.recompute_us == simulation.recompute_us, "another cost");
    if (i > 0) {
      wrong.unless(!is_better(seeds[i].outcome, seeds[i - 1].outcome, budget_bytes),
                   "better than the one before");
      wrong.unless(seeds[i].schedule.replays != seeds[i - 1].schedule.replays,
                   "the same as the one before");
    }
  }
  return wrong.list();
}

TEST(FindSeeds, GivesJudgedSchedulesInOrderOnRandomPrograms) {
  constexpr unsigned kPrograms = programs(200);
  for (unsigned seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    EXPECT_THAT(check(seed), IsEmpty());
  }
}

}  // namespace
}  // namespace reprise::plan
