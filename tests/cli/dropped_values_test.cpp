// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/dropped_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/chain_program.h"

namespace reprise::cli {
namespace {

using testing::ElementsAre;

TEST(DroppedValues, AreWhatBackwardFindsRecomputed) {
  plan::Program program = plan::chain_of_three();
  program.recipes[0].label = "blocks.0.first";
  program.recipes[1].label = "blocks.12.first";
  program.recipes[1].name = "a";
  plan::Schedule schedule;
  schedule.replays = {{0, {0, 1}}, {2, {0}}};
  // Use 1 reads value 2 of the first replays, use 2 reads value 1 of the last; the first value 1
  // only helps.
  EXPECT_THAT(dropped_values(program, schedule),
              ElementsAre(DroppedGroup{"blocks.*.first", "a", 2, 200, 3, 40}));
  EXPECT_THAT(dropped_values(program, {}), testing::IsEmpty());
}

}  // namespace
}  // namespace reprise::cli
