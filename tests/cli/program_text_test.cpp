// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/program_text.h"

#include <gtest/gtest.h>

#include "reprise/plan/simulate.h"
#include "tests/plan/chain_program.h"

namespace reprise::cli {
namespace {

TEST(ProgramText, NamesPlacesAndGeneralLabels) {
  const plan::Program program = plan::chain_of_three();
  EXPECT_EQ(slot_text(program, {.kind = plan::SlotKind::kForward, .index = 2}), "forward op 2");
  EXPECT_EQ(slot_text(program, {.kind = plan::SlotKind::kReplay, .index = 2, .recipe = 1}),
            "recipe 1 (b) before use 2");
  EXPECT_EQ(slot_text(program, {.kind = plan::SlotKind::kAfterUse, .index = 0}), "after use 0 (C)");
  EXPECT_EQ(op_of(program, 0), "op 0");
  EXPECT_EQ(general_label("blocks.12.attention.3"), "blocks.*.attention.*");
}

}  // namespace
}  // namespace reprise::cli
