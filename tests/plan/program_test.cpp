// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/program.h"

#include <functional>
#include <limits>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/chain_program.h"

namespace reprise::plan {
namespace {

using testing::HasSubstr;
using testing::Optional;

// The fault of the chain after `change`.
std::optional<ProgramFault> fault_after(const std::function<void(Program&)>& change) {
  Program program = chain_of_three();
  change(program);
  return find_fault(program);
}

TEST(FindFault, FindsNoneInAValidProgramOrAnEmptyOne) {
  EXPECT_EQ(find_fault(chain_of_three()), std::nullopt);
  EXPECT_EQ(find_fault(Program{}), std::nullopt);
}

TEST(FindFault, NamesANegativeSize) {
  EXPECT_EQ(fault_after([](Program& p) { p.values[3].bytes = -1; }),
            (ProgramFault{"values[3].bytes", "must not be negative, got -1"}));
  EXPECT_EQ(fault_after([](Program& p) { p.resident_bytes = -2; })->path, "resident_bytes");
  EXPECT_EQ(fault_after([](Program& p) { p.forward_peak_bytes[1] = -1; })->path,
            "forward_peak_bytes[1]");
  EXPECT_EQ(fault_after([](Program& p) { p.recipes[2].transient_bytes = -1; })->path,
            "recipes[2].transient_bytes");
  EXPECT_EQ(fault_after([](Program& p) { p.uses[0].background_bytes.replaying = -1; })->path,
            "uses[0].background_bytes[0]");
  EXPECT_EQ(fault_after([](Program& p) { p.uses[0].background_bytes.running = -1; })->path,
            "uses[0].background_bytes[1]");
  EXPECT_EQ(fault_after([](Program& p) { p.uses[0].background_bytes.after = -1; })->path,
            "uses[0].background_bytes[2]");
}

TEST(FindFault, NamesSizesWhoseSumNoSweepCouldHold) {
  const auto fault = fault_after([](Program& p) {
    p.values[1].bytes = std::int64_t{1} << 59;
    p.values[2].bytes = std::int64_t{1} << 59;
  });
  EXPECT_EQ(fault->path, "values[2].bytes");
  EXPECT_THAT(fault->what, HasSubstr("2^60"));
  EXPECT_EQ(fault_after([](Program& p) {
              p.values[1].bytes = std::numeric_limits<std::int64_t>::max();
            })->path,
            "values[1].bytes");
}

TEST(Program, RefusesTimesWhoseSumIsNoUsefulNumber) {
  const auto fault = fault_after([](Program& p) {
    p.step_us = 6e17;
    p.uses[0].cost_us = 6e17;
  });
  EXPECT_EQ(fault->path, "uses[0].cost_us");
  EXPECT_EQ(fault->what, "all times together must stay below 1e18 us, got 6e+17");
  EXPECT_EQ(fault_after([](Program& p) { p.recipes[1].cost_us = 1e308; })->path,
            "recipes[1].cost_us");
}

TEST(FindFault, NamesATimeThatIsNegativeOrNoNumber) {
  EXPECT_EQ(fault_after([](Program& p) { p.step_us = -1; })->path, "step_us");
  EXPECT_EQ(
      fault_after([](Program& p) { p.forward_us = std::numeric_limits<double>::infinity(); })->path,
      "forward_us");
  EXPECT_EQ(fault_after([](Program& p) {
              p.recipes[0].cost_us = std::numeric_limits<double>::quiet_NaN();
            })->path,
            "recipes[0].cost_us");
  EXPECT_EQ(fault_after([](Program& p) { p.uses[1].cost_us = -1; })->path, "uses[1].cost_us");
  EXPECT_EQ(fault_after([](Program& p) { p.replay_overhead_us = -1; })->path, "replay_overhead_us");
  EXPECT_EQ(fault_after([](Program& p) { p.use_overhead_us = -1; })->path, "use_overhead_us");
}

TEST(FindFault, NamesAValueThatIsMadeAtNoOpOrReleasedBefore) {
  EXPECT_EQ(fault_after([](Program& p) { p.values[1].made_at = 3; }),
            (ProgramFault{"values[1].made_at", "must be one of the 3 forward ops, got 3"}));
  EXPECT_EQ(fault_after([](Program& p) { p.values[1].made_at = -1; })->path, "values[1].made_at");
  EXPECT_EQ(fault_after([](Program& p) { p.values[2].released_at = 0; })->path,
            "values[2].released_at");
}

TEST(FindFault, LetsAValueBeReleasedAfterTheLastOp) {
  EXPECT_EQ(fault_after([](Program& p) { p.values[2].released_at = 99; }), std::nullopt);
}

TEST(FindFault, NamesARecipeOfAnExternalValue) {
  EXPECT_EQ(fault_after([](Program& p) { p.values[0].recipe = 1; })->path, "values[0].recipe");
}

TEST(FindFault, NamesAnIdThatIsNotThere) {
  EXPECT_EQ(fault_after([](Program& p) { p.values[1].recipe = 3; })->path, "values[1].recipe");
  EXPECT_EQ(fault_after([](Program& p) { p.values[1].recipe = -2; })->path, "values[1].recipe");
  EXPECT_EQ(fault_after([](Program& p) {
              p.recipes[1].inputs = {1, 4};
            }),
            (ProgramFault{"recipes[1].inputs[1]", "must be one of the 4 values, got 4"}));
  EXPECT_EQ(fault_after([](Program& p) { p.recipes[1].outputs = {-1}; })->path,
            "recipes[1].outputs[0]");
  EXPECT_EQ(fault_after([](Program& p) { p.recipes[2].ops = {2, 3}; })->path, "recipes[2].ops[1]");
  EXPECT_EQ(fault_after([](Program& p) { p.uses[2].needs = {4}; })->path, "uses[2].needs[0]");
}

TEST(FindFault, NamesAnIdThatIsListedTwice) {
  EXPECT_EQ(fault_after([](Program& p) {
              p.recipes[1].inputs = {1, 0, 1};
            }),
            (ProgramFault{"recipes[1].inputs[2]", "value 1 is listed twice"}));
  EXPECT_EQ(fault_after([](Program& p) {
              p.recipes[1].outputs = {2, 2};
            })->path,
            "recipes[1].outputs[1]");
  EXPECT_EQ(fault_after([](Program& p) { p.uses[0].needs = {3, 3}; })->path, "uses[0].needs[1]");
}

TEST(FindFault, NamesARecipeThatDoesNotListExactlyTheValuesThatNameIt) {
  EXPECT_EQ(fault_after([](Program& p) {
              p.recipes[1].outputs = {2, 1};
            })->path,
            "recipes[1].outputs[1]");
  EXPECT_EQ(fault_after([](Program& p) { p.recipes[1].outputs = {}; })->path, "recipes[1].outputs");
  EXPECT_EQ(fault_after([](Program& p) {
              p.values.push_back({.made_at = 1, .released_at = 1, .recipe = 1});
            })->path,
            "values[4].recipe");
}

TEST(FindFault, NamesARecipeThatDependsOnItself) {
  EXPECT_EQ(fault_after([](Program& p) { p.recipes[0].inputs = {1}; })->path, "recipes[0].inputs");
  EXPECT_EQ(fault_after([](Program& p) { p.recipes[0].inputs = {3}; }),
            (ProgramFault{"recipes[0].inputs", "depends on its own output through other recipes"}));
}

TEST(FindFault, AllowsAnInputThatIsMadeLaterThanTheOutput) {
  EXPECT_EQ(fault_after([](Program& p) {
              p.recipes[0].inputs = {2};
              p.recipes[1].inputs = {};
            }),
            std::nullopt);
}

TEST(RequireValid, SaysWhereAndWhat) {
  Program program = chain_of_three();
  program.values[1].bytes = -5;
  try {
    require_valid(program, "tool");
    FAIL() << "expected an exception";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "tool: values[1].bytes: must not be negative, got -5");
  }
  EXPECT_NO_THROW(require_valid(chain_of_three(), "tool"));
}

}  // namespace
}  // namespace reprise::plan
