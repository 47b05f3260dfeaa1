// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/generate/repeat_layer.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "reprise/plan/serialize.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/recorded_programs.h"

namespace reprise::plan {
namespace {

constexpr LayerShape kGpt24 = {.layers = 24, .ops = 33, .values = 37, .recipes = 23, .uses = 13};

TEST(RepeatLayer, PutsTheRepeatedLayerBetweenTheFirstAndTheLast) {
  const Program gpt = recorded_program("gpt24");
  const Program program =
      repeat_layer(gpt, kGpt24, {.first = 2, .layer = 12, .last = 2, .layers = 5});
  EXPECT_EQ(program.name, "gpt24x5");
  EXPECT_EQ(program.ops(), 5 * 33 + 2);
  EXPECT_EQ(program.recipes.size(), 5 * 23 + 2);
  EXPECT_EQ(program.uses.size(), 5 * 13 + 1);
  EXPECT_EQ(program.recipes[2 * 23].cost_us, gpt.recipes[12 * 23].cost_us);
  EXPECT_EQ(program.recipes[3 * 23].cost_us, gpt.recipes[22 * 23].cost_us);
  EXPECT_EQ(program.recipes.back().cost_us, gpt.recipes.back().cost_us);
}

TEST(RepeatLayer, OfAsManyLayersAsRecordedHasTheRecordedPeak) {
  const Program gpt = recorded_program("gpt24");
  const Program program =
      repeat_layer(gpt, kGpt24, {.first = 2, .layer = 12, .last = 2, .layers = 24});
  EXPECT_EQ(simulate_keep_all(program).peak_bytes, simulate_keep_all(gpt).peak_bytes);
}

TEST(RepeatLayer, RefusesAShapeThatTheProgramDoesNotHave) {
  const Program gpt = recorded_program("gpt24");
  const LayerRepeat repeat = {.first = 2, .layer = 12, .last = 2, .layers = 30};
  LayerShape wrong = kGpt24;
  wrong.uses = 14;  // 24 x 14 are more than there are
  EXPECT_THROW(repeat_layer(gpt, wrong, repeat), std::invalid_argument);
  wrong = kGpt24;
  wrong.recipes = 22;  // fits, but cuts through layers
  EXPECT_THROW(repeat_layer(gpt, wrong, repeat), std::invalid_argument);
  EXPECT_THROW(repeat_layer(gpt, kGpt24, {.layer = 23, .layers = 30}), std::invalid_argument);
  EXPECT_THROW(repeat_layer(gpt, kGpt24, {.first = 2, .layer = 12, .last = 2, .layers = 4}),
               std::invalid_argument);
}

}  // namespace
}  // namespace reprise::plan
