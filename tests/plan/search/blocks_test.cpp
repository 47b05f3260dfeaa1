// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/blocks.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/complaints.h"
#include "tests/plan/random_program.h"
#include "tests/plan/small_programs.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Program equal_chain(std::size_t stages) {
  return chain_program(std::vector<std::int64_t>(stages, 8), std::vector<double>(stages, 1));
}

TEST(FindBlocks, CutsAnEqualChainEvenly) {
  const Blocks blocks = find_blocks(equal_chain(4), 2);
  EXPECT_THAT(blocks.ends, ElementsAre(1, 3));
  EXPECT_THAT(blocks.of_recipe, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(blocks.of_use, ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(blocks.crossing, ElementsAre(ElementsAre(1)));
}

TEST(FindBlocks, MakesOneBlockOfEverythingIfAsked) {
  const Blocks blocks = find_blocks(equal_chain(4), 1);
  EXPECT_THAT(blocks.ends, ElementsAre(3));
  EXPECT_THAT(blocks.crossing, IsEmpty());
}

TEST(FindBlocks, MakesNoMoreBlocksThanThereAreOps) {
  EXPECT_THAT(find_blocks(equal_chain(4), 100).ends, ElementsAre(0, 1, 2, 3));
}

TEST(FindBlocks, CutsAtTheNarrowestOpNearTheEvenPlace) {
  // 32 of 72 bytes are made by op 3, the even place; but only 2 cross after op 2, or 4.
  const Program program = chain_program({8, 8, 2, 16, 8, 8, 8, 8}, {1, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_THAT(find_blocks(program, 2).ends, ElementsAre(2, 7));
}

TEST(FindBlocks, LetsAValueThatIsReadMuchLaterCrossEveryBoundaryInBetween) {
  Program program = equal_chain(4);
  program.recipes[3].inputs = {2, 0};
  EXPECT_THAT(find_blocks(program, 4).crossing,
              ElementsAre(ElementsAre(0), ElementsAre(0, 1), ElementsAre(0, 2)));
}

TEST(FindBlocks, LetsNothingCrossThatIsAlwaysThere) {
  Program program = equal_chain(4);
  program.values[1].released_at = program.ops();
  EXPECT_THAT(find_blocks(program, 2).crossing, ElementsAre(IsEmpty()));
}

TEST(BoundariesStay, NamesWhatCrosses) {
  const Program program = equal_chain(4);
  EXPECT_THAT(boundaries_stay(program, find_blocks(program, 2)),
              ElementsAre(false, true, false, false));
}

// The definition of Blocks, word for word.
std::vector<std::string> check(unsigned seed) {
  std::mt19937 random(seed);
  const Program program = random_program(random, 30);
  const int count = std::uniform_int_distribution(1, 12)(random);
  const Blocks blocks = find_blocks(program, count);
  Complaints wrong;
  wrong.unless(blocks.count() >= 1 && blocks.count() <= count, "too many blocks");
  wrong.unless(std::adjacent_find(blocks.ends.begin(), blocks.ends.end(), std::greater_equal<>()) ==
                   blocks.ends.end(),
               "ends do not ascend");
  wrong.unless(blocks.ends.back() == program.ops() - 1, "does not end with forward");
  const auto block_of = [&](std::int64_t op) {
    int block = 0;
    while (op > blocks.ends[static_cast<std::size_t>(block)]) {
      ++block;
    }
    return block;
  };
  std::vector<std::vector<int>> crossing(static_cast<std::size_t>(blocks.count() - 1));
  for (std::size_t recipe = 0; recipe < program.recipes.size(); ++recipe) {
    std::int64_t last_op = 0;
    for (const int output : program.recipes[recipe].outputs) {
      last_op = std::max(last_op, program.values[static_cast<std::size_t>(output)].made_at);
    }
    wrong.unless(blocks.of_recipe[recipe] == block_of(last_op), "of_recipe");
    for (const int input : program.recipes[recipe].inputs) {
      const Value& info = program.values[static_cast<std::size_t>(input)];
      for (int block = block_of(info.made_at); block < block_of(last_op); ++block) {
        if (!info.external && !program.is_held(info)) {
          crossing[static_cast<std::size_t>(block)].push_back(input);
        }
      }
    }
  }
  for (std::vector<int>& values : crossing) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }
  wrong.unless(blocks.crossing == crossing, "crossing");
  int latest = blocks.count() - 1;
  for (std::size_t use = 0; use < program.uses.size(); ++use) {
    int own = -1;
    for (const int value : program.uses[use].needs) {
      const Value& info = program.values[static_cast<std::size_t>(value)];
      own = std::max(own, info.external ? -1 : block_of(info.made_at));
    }
    latest = own < 0 ? latest : std::min(latest, own);
    wrong.unless(blocks.of_use[use] == latest, "of_use");
  }
  return wrong.list();
}

TEST(FindBlocks, DoesWhatItSaysOnRandomPrograms) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    EXPECT_THAT(check(seed), IsEmpty());
  }
}

}  // namespace
}  // namespace reprise::plan
