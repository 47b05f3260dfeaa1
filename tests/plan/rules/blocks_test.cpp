// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/rules/blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/small_programs.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;

Program six_stages() { return chain_program({1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}); }

TEST(ForwardOrder, IsThatOfTheOpsNotOfTheIds) {
  Program program = chain_program({1, 1, 1}, {1, 1, 1});
  program.values[0].made_at = 2;
  EXPECT_THAT(forward_order(program), ElementsAre(1, 0, 2));
}

TEST(ValuesThatStay, AreThoseThatAnotherBlockReads) {
  EXPECT_THAT(values_that_stay(six_stages(), {0, 1, 2, 3, 4, 5}, {.ends = {3, 6}, .name = ""},
                               LastSegment::kRegion),
              ElementsAre(false, false, true, false, false, false));
}

TEST(ValuesThatStay, IncludeThoseOfAPlainLastBlock) {
  EXPECT_THAT(values_that_stay(six_stages(), {0, 1, 2, 3, 4, 5}, {.ends = {3, 6}, .name = ""},
                               LastSegment::kPlain),
              ElementsAre(false, false, true, true, true, true));
}

TEST(ValuesThatStay, IncludeThoseThatAUseNeedsWithOnesOfALaterBlock) {
  Program program = six_stages();
  program.uses[0].needs = {5, 0};
  EXPECT_THAT(values_that_stay(program, {0, 1, 2, 3, 4, 5}, {.ends = {3, 6}, .name = ""},
                               LastSegment::kRegion),
              ElementsAre(true, false, true, false, false, false));
}

TEST(CutEvenly, CutsWhereTheSumIsNearestToItsShare) {
  EXPECT_THAT(cut_evenly({1, 1, 1, 1, 1, 1}, 3).ends, ElementsAre(2, 4, 6));
  EXPECT_THAT(cut_evenly({5, 1, 1, 1, 1, 1}, 2).ends, ElementsAre(1, 6));
}

TEST(CutEvenly, MakesFewerBlocksWhereOneRecipeIsWorthSeveralShares) {
  EXPECT_THAT(cut_evenly({1, 10, 1}, 4).ends, ElementsAre(1, 2, 3));
  EXPECT_THAT(cut_evenly({0, 0, 0}, 2).ends, ElementsAre(3));
  EXPECT_THAT(cut_evenly({1, 1}, 9).ends, ElementsAre(1, 2));
}

TEST(NumbersToTry, AreDenseAtFirst) {
  EXPECT_THAT(numbers_to_try(20), ElementsAre(1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18));
}

}  // namespace
}  // namespace reprise::plan
