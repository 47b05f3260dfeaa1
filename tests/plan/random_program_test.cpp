// SPDX-License-Identifier: Apache-2.0
#include "tests/plan/random_program.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "reprise/plan/hash.h"

namespace reprise::plan {
namespace {

TEST(RandomProgram, IsAFunctionOfTheSeed) {
  std::mt19937 first(7);
  std::mt19937 second(7);
  EXPECT_EQ(program_hash(random_program(first)), program_hash(random_program(second)));
}

TEST(RandomProgram, HasEachFeatureOftenEnough) {
  std::mt19937 random(1);
  int chains = 0;
  int several_outputs = 0;
  int held = 0;
  int empty_values = 0;
  int no_recipe = 0;
  int unreplayable = 0;
  int made_later = 0;
  for (int i = 0; i < 1000; ++i) {
    const Program program = random_program(random);
    const auto& recipes = program.recipes;
    const auto& values = program.values;
    const auto value_of = [&](int id) { return values[static_cast<std::size_t>(id)]; };
    chains += std::any_of(recipes.begin(), recipes.end(),
                          [](const Recipe& recipe) { return recipe.ops.size() > 1; });
    several_outputs += std::any_of(recipes.begin(), recipes.end(),
                                   [](const Recipe& recipe) { return recipe.outputs.size() > 1; });
    unreplayable += std::any_of(recipes.begin(), recipes.end(),
                                [](const Recipe& recipe) { return !recipe.replayable; });
    made_later += std::any_of(recipes.begin(), recipes.end(), [&](const Recipe& recipe) {
      return std::any_of(recipe.inputs.begin(), recipe.inputs.end(), [&](int id) {
        return value_of(id).made_at > value_of(recipe.outputs.front()).made_at;
      });
    });
    held += std::any_of(values.begin(), values.end(), [&](const Value& value) {
      return !value.external && program.is_held(value);
    });
    empty_values += std::any_of(values.begin(), values.end(), [](const Value& value) {
      return !value.external && value.bytes == 0;
    });
    no_recipe += std::any_of(values.begin(), values.end(), [](const Value& value) {
      return !value.external && value.recipe == kNoRecipe;
    });
  }
  EXPECT_GT(chains, 300);
  EXPECT_GT(several_outputs, 300);
  EXPECT_GT(held, 300);
  EXPECT_GT(empty_values, 300);
  EXPECT_GT(no_recipe, 200);
  EXPECT_GT(unreplayable, 200);
  EXPECT_GT(made_later, 50);
}

}  // namespace
}  // namespace reprise::plan
