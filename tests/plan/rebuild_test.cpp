// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/rebuild.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/small_programs.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Program five_stages() { return chain_program({1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}); }

TEST(RebuildLazily, ReplaysNothingIfAllStays) {
  EXPECT_THAT(rebuild_lazily(five_stages(), std::vector<bool>(5, true)), IsEmpty());
}

TEST(RebuildLazily, RebuildsInputsFirstAndJustBeforeTheFirstUse) {
  EXPECT_THAT(rebuild_lazily(five_stages(), {true, false, false, true, true}),
              ElementsAre(Replays{.before_use = 2, .recipes = {1, 2}}));
}

TEST(RebuildLazily, RunsEachRecipeOnce) {
  EXPECT_THAT(rebuild_lazily(five_stages(), std::vector<bool>(5, false)),
              ElementsAre(Replays{.before_use = 0, .recipes = {0, 1, 2, 3, 4}}));
}

TEST(RebuildLazily, KeepsWhatMustNotRunAgainAndWhatUserCodeHolds) {
  Program program = five_stages();
  program.recipes[1].replayable = false;
  program.values[3].released_at = 5;
  EXPECT_THAT(rebuild_lazily(program, std::vector<bool>(5, false)),
              ElementsAre(Replays{.before_use = 0, .recipes = {4}},
                          Replays{.before_use = 2, .recipes = {2}},
                          Replays{.before_use = 4, .recipes = {0}}));
}

TEST(RebuildLazily, TakesAChainOfAHundredThousandRecipes) {
  const std::size_t stages = 100'000;
  const Program program =
      chain_program(std::vector<std::int64_t>(stages, 1), std::vector<double>(stages, 1));
  EXPECT_EQ(rebuild_lazily(program, std::vector<bool>(stages, false)).front().recipes.size(),
            stages);
}

}  // namespace
}  // namespace reprise::plan
