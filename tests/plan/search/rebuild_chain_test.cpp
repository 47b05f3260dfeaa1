// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/rebuild_chain.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/complaints.h"
#include "tests/plan/random_program.h"
#include "tests/plan/random_schedule.h"
#include "tests/plan/small_programs.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Answer = RebuildChain::Answer;
using Place = EditableSchedule::Place;

constexpr RebuildChain::Limits kNoLimits = {};

// A chain of three values of 8 bytes whose last one backward needs at its first and its last use;
// the others are gone with forward: user code lets go of both by op 2.
Program last_value_twice() {
  Program program = chain_program({8, 8, 8}, {1, 2, 4});
  program.uses[0].needs = {2};
  program.uses[1].needs = {};
  program.uses[2].needs = {2};
  return program;
}

struct Built {
  Answer answer = Answer::kUseless;
  std::vector<int> recipes;
  double cost_us = 0;
  std::int64_t extended_bytes = 0;
};

// Value 2 just before the last use, to relieve the middle one.
Built build_last(const Program& program, double input_fraction,
                 const RebuildChain::Limits& limits = kNoLimits) {
  const EditableSchedule edited(program, {}, kSparePlaces);
  RebuildChain chain(edited);
  Built built;
  built.answer = chain.build(2, edited.use_place(2), edited.use_place(1), input_fraction, limits);
  built.recipes = chain.recipes();
  built.cost_us = chain.cost_us();
  built.extended_bytes = chain.extended_bytes();
  return built;
}

TEST(RebuildChain, RunsTheRecipesOfInputsThatAreGoneFirst) {
  const Built built = build_last(last_value_twice(), /*input_fraction=*/0.3);
  EXPECT_THAT(built.recipes, ElementsAre(0, 1, 2));
  EXPECT_EQ(built.cost_us, 7);
  EXPECT_EQ(built.extended_bytes, 0);
}

TEST(RebuildChain, KeepsAnInputLongerThatIsSmallEnough) {
  const Built built = build_last(last_value_twice(), /*input_fraction=*/1);
  EXPECT_THAT(built.recipes, ElementsAre(2));
  EXPECT_EQ(built.cost_us, 4);
  EXPECT_EQ(built.extended_bytes, 8);
}

TEST(RebuildChain, KeepsAnInputLongerThatMustNotBeMadeAgain) {
  Program program = last_value_twice();
  program.recipes[0].replayable = false;
  const Built built = build_last(program, /*input_fraction=*/0);
  EXPECT_THAT(built.recipes, ElementsAre(1, 2));
  EXPECT_EQ(built.extended_bytes, 8);
}

TEST(RebuildChain, TakesWhatUserCodeHoldsForGranted) {
  Program program = last_value_twice();
  program.values[1].released_at = program.ops();
  const Built built = build_last(program, /*input_fraction=*/0);
  EXPECT_THAT(built.recipes, ElementsAre(2));
  EXPECT_EQ(built.extended_bytes, 0);
}

TEST(RebuildChain, GivesUpOnAChainThatIsTooLong) {
  EXPECT_EQ(build_last(last_value_twice(), 0, {.recipes = 2}).answer, Answer::kUseless);
  EXPECT_EQ(build_last(last_value_twice(), 0, {.recipes = 3}).answer, Answer::kBuilt);
}

TEST(RebuildChain, GivesUpOnAChainThatIsTooDearAndSaysWhatItKnowsOfItsCost) {
  // Recipes 2, 1 and 0 cost 4, 2 and 1.
  const Built built = build_last(last_value_twice(), 0, {.cost_us = 5});
  EXPECT_EQ(built.answer, Answer::kTooDear);
  EXPECT_EQ(built.cost_us, 6);
  EXPECT_EQ(build_last(last_value_twice(), 0, {.cost_us = 7}).answer, Answer::kBuilt);
}

TEST(RebuildChain, GivesUpOnAChainThatKeepsTooMuchAlive) {
  // Value 1, of 8 bytes.
  EXPECT_EQ(build_last(last_value_twice(), 1, {.extended_bytes = 7}).answer, Answer::kUseless);
  EXPECT_EQ(build_last(last_value_twice(), 1, {.extended_bytes = 8}).answer, Answer::kBuilt);
}

TEST(RebuildChain, ReadsAnInputThatIsAlive) {
  const Program program = chain_program({8, 8, 8}, {1, 2, 4});
  const EditableSchedule edited(program, {}, kSparePlaces);
  RebuildChain chain(edited);
  // The last use needs value 0, so value 0 is there when value 1 is made again.
  ASSERT_EQ(chain.build(1, edited.use_place(1), edited.use_place(0), 0, kNoLimits), Answer::kBuilt);
  EXPECT_THAT(chain.recipes(), ElementsAre(1));
  EXPECT_EQ(chain.extended_bytes(), 0);
}

TEST(RebuildChain, KeepsAnInputLongerThatDiedAfterTheReference) {
  Program program = last_value_twice();
  program.uses[1].needs = {1};
  const EditableSchedule edited(program, {}, kSparePlaces);
  RebuildChain chain(edited);
  // Value 1 is there until the middle use and costs nothing at the first one.
  ASSERT_EQ(chain.build(2, edited.use_place(2), edited.use_place(0) + 1, 0, kNoLimits),
            Answer::kBuilt);
  EXPECT_THAT(chain.recipes(), ElementsAre(2));
  EXPECT_EQ(chain.extended_bytes(), 0);
}

TEST(RebuildChain, MakesAnInputOfTwoRecipesOnceAndExtendsItOnce) {
  Program program = chain_program({2, 8, 8, 16}, {1, 1, 1, 1});
  program.recipes[2].inputs = {0};
  program.recipes[3].inputs = {1, 2};
  program.uses[0].needs = {3};
  program.uses[1].needs = {};
  program.uses[2].needs = {};
  program.uses[3].needs = {3};
  const EditableSchedule edited(program, {}, kSparePlaces);
  RebuildChain chain(edited);
  ASSERT_EQ(chain.build(3, edited.use_place(3), edited.use_place(1), 0, kNoLimits), Answer::kBuilt);
  EXPECT_THAT(chain.recipes(), ElementsAre(0, 1, 2, 3));
  ASSERT_EQ(chain.build(3, edited.use_place(3), edited.use_place(1), 0.2, kNoLimits),
            Answer::kBuilt);
  EXPECT_THAT(chain.recipes(), ElementsAre(1, 2, 3));
  EXPECT_EQ(chain.extended_bytes(), 2);
}

// Rebuilds each value that a use reads while it is alive at an earlier use, and compares what the
// chain says with what happens.
std::vector<std::string> check_all_readings(unsigned seed) {
  std::mt19937 random(seed);
  const Program program = random_program(random);
  const Schedule start = random_schedule(program, seed);
  Complaints wrong;
  for (std::size_t reader = 1; reader < program.uses.size(); ++reader) {
    for (const int value : program.uses[reader].needs) {
      const Value& info = program.values[static_cast<std::size_t>(value)];
      if (info.recipe == kNoRecipe ||
          !program.recipes[static_cast<std::size_t>(info.recipe)].replayable) {
        continue;
      }
      EditableSchedule edited(program, start, kSparePlaces);
      RebuildChain chain(edited);
      const Place place = edited.use_place(static_cast<int>(reader));
      const Place reference =
          edited.use_place(std::uniform_int_distribution(0, static_cast<int>(reader) - 1)(random));
      const std::vector<Place>& read = edited.readings(value);
      const auto at = std::lower_bound(read.begin(), read.end(), place);
      const EditableSchedule::Stay stay = edited.stay_at(value, place);
      const bool is_alive = (stay.made != EditableSchedule::kNever || !program.is_held(info)) &&
                            stay.made < reference && (at == read.begin() || *(at - 1) < reference);
      const double fraction = std::uniform_int_distribution(0, 3)(random) / 3.0;
      if (chain.build(value, place, reference, fraction, kNoLimits) != Answer::kBuilt) {
        wrong.unless(false, "no chain");
        continue;
      }
      double cost_us = 0;
      for (const int recipe : chain.recipes()) {
        cost_us += program.recipes[static_cast<std::size_t>(recipe)].cost_us;
      }
      wrong.unless(cost_us == chain.cost_us(), "another cost");
      wrong.unless(chain.recipes().back() == info.recipe, "does not end with the value's recipe");
      const std::int64_t before = edited.bytes().at(reference);
      std::vector<Place> free;
      edited.make_room(place, static_cast<int>(chain.recipes().size()), free);
      for (std::size_t i = 0; i < free.size(); ++i) {
        edited.insert(free[i], chain.recipes()[i]);
      }
      // At most: what the chain makes beside the value may end other stays too.
      wrong.unless(edited.bytes().at(reference) <=
                       before + chain.extended_bytes() - (is_alive ? info.bytes : 0),
                   "relieves less than it says");
    }
  }
  return wrong.list();
}

TEST(RebuildChain, RelievesItsReferenceByWhatItSays) {
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    EXPECT_THAT(check_all_readings(seed), IsEmpty());
  }
}

}  // namespace
}  // namespace reprise::plan
