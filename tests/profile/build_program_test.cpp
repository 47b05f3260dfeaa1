// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/build_program.h"

#include <cstddef>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/simulate.h"
#include "tests/profile/complaint.h"
#include "tests/profile/step_builder.h"

namespace reprise::profile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string complaint(const StepTrace& trace) {
  return complaint_of([&] { build_program(trace); });
}

TEST(BuildProgram, HasValuesForTheLastVersionsOnly) {
  StepBuilder step;
  const int input = step.external(4);
  const int mask = step.make("aten::empty", 4);
  step.write("aten::bernoulli_", step.all(mask));
  step.write("aten::div_", step.all(mask));
  const int dropped = step.make("aten::mul", 8, {step.all(input), step.all(mask)});
  step.trace.ops[1].random = true;
  step.use("MulBackward0", {step.all(mask), step.all(dropped)});
  const BuiltProgram built = build_program(step.trace);
  ASSERT_THAT(built.program.values, SizeIs(2));
  EXPECT_EQ(built.program.values[0].made_at, 2);
  EXPECT_THAT(built.storage_of_value, ElementsAre(mask, dropped));
  EXPECT_THAT(built.value_of_storage, ElementsAre(kNoValue, 0, 1));
  ASSERT_THAT(built.program.recipes, SizeIs(2));
  EXPECT_THAT(built.program.recipes[0].ops, ElementsAre(0, 1, 2));
  EXPECT_EQ(built.program.recipes[0].name, "aten::div_");
  EXPECT_EQ(built.program.recipes[0].cost_us, 3);
  EXPECT_TRUE(built.program.recipes[0].random);
  EXPECT_FALSE(built.program.recipes[1].random);
  EXPECT_THAT(built.program.recipes[1].inputs, ElementsAre(0));
  EXPECT_THAT(built.program.recipes[1].outputs, ElementsAre(1));
}

// An lstm cell: each gate is saved as its own op left it, and all lie in one storage.
TEST(BuildProgram, CountsFourSavedChunksOfOneStorageOnce) {
  StepBuilder step;
  const int gates = step.make("aten::addmm", 16);
  std::vector<Access> saved;
  for (const std::int64_t offset : {0, 4, 8, 12}) {
    step.write(offset == 8 ? "aten::tanh_" : "aten::sigmoid_", step.part(gates, offset, 4));
    saved.push_back(step.part(gates, offset, 4));
  }
  const int cell = step.make("aten::mul", 4, {step.part(gates, 0, 4), step.part(gates, 8, 4)});
  step.use("MulBackward0", {step.part(gates, 0, 4), step.part(gates, 8, 4)});
  step.use("SigmoidBackward0", {saved[3], step.all(cell)});
  step.use("TanhBackward0", {saved[2], saved[0], saved[1]});
  const BuiltProgram built = build_program(step.trace);
  ASSERT_THAT(built.program.uses, SizeIs(3));
  EXPECT_THAT(built.program.uses[0].needs, ElementsAre(0));
  EXPECT_THAT(built.program.uses[1].needs, ElementsAre(0, 1));
  EXPECT_THAT(built.program.uses[2].needs, ElementsAre(0));
  EXPECT_EQ(plan::simulate_keep_all(built.program).peak_bytes, 20);
}

// Batch norm, then a residual sum that overwrites its result: the statistics come out of the recipe
// that ends in the sum, which a reader of them alone needs too.
TEST(BuildProgram, AnInputMayBeMadeLaterThanTheOutput) {
  StepBuilder step;
  const int output = step.make("aten::native_batch_norm", 8);
  const int statistics = step.make_also(4);
  const int scale = step.make("aten::rsqrt", 4, {step.all(statistics)});
  step.write("aten::add_", step.all(output));
  step.use("NativeBatchNormBackward0", {step.all(scale), step.all(output)});
  const plan::Program program = build_program(step.trace).program;
  ASSERT_THAT(program.recipes, SizeIs(2));
  EXPECT_THAT(program.recipes[0].ops, ElementsAre(0, 2));
  EXPECT_THAT(program.recipes[0].outputs, ElementsAre(0, 1));
  EXPECT_THAT(program.recipes[1].inputs, ElementsAre(1));
  EXPECT_EQ(program.values[0].made_at, 2);
  EXPECT_EQ(program.values[1].made_at, 0);
}

TEST(BuildProgram, AValueIsReleasedWhenUserCodeLetsGoOfItButNotBeforeItIsMade) {
  StepBuilder step;
  const int early = step.make("aten::mm", 4);
  const int late = step.make("aten::mm", 4);
  const int held = step.make("aten::mm", 16);
  step.write("aten::add_", step.all(early));
  step.trace.storages[0].released_at = 1;
  step.trace.storages[1].released_at = 2;
  step.trace.storages[2].held = true;
  step.use("MmBackward0", {step.all(held), step.all(early), step.all(late)});
  const plan::Program program = build_program(step.trace).program;
  ASSERT_THAT(program.values, SizeIs(3));
  EXPECT_EQ(program.values[0].released_at, 3);
  EXPECT_EQ(program.values[1].released_at, 2);
  EXPECT_EQ(program.values[2].released_at, 4);
  EXPECT_THAT(program.uses[0].needs, ElementsAre(2, 0, 1));
}

TEST(BuildProgram, AllThatIsHeldIsResidentWhetherNeededOrNot) {
  StepBuilder step;
  const int input = step.external(1);
  const int needed = step.make("aten::mm", 2);
  const int loss = step.make("aten::sum", 4, {step.all(needed)});
  step.make("aten::neg", 8, {step.all(needed)});
  step.trace.storages[static_cast<std::size_t>(input)].held = true;
  step.trace.storages[static_cast<std::size_t>(needed)].held = true;
  step.trace.storages[static_cast<std::size_t>(loss)].held = true;
  step.use("SumBackward0", {step.all(needed)});
  const plan::Program program = build_program(step.trace).program;
  EXPECT_EQ(program.resident_bytes, 6);
  EXPECT_THAT(program.values, SizeIs(1));
}

TEST(BuildProgram, TheBackgroundOfAUseIsWithoutWhatIsResident) {
  StepBuilder step;
  const int loss = step.make("aten::sum", 4);
  step.trace.storages[0].held = true;
  step.use("SumBackward0", {step.all(loss)});
  step.trace.uses[0].label = "head";
  step.trace.uses[0].cost_us = 7;
  step.trace.uses[0].begin_bytes = 6;
  step.trace.uses[0].peak_bytes = 20;
  step.trace.uses[0].after_bytes = 3;  // the loss itself is gone
  const plan::Program program = build_program(step.trace).program;
  ASSERT_THAT(program.uses, SizeIs(1));
  EXPECT_EQ(program.uses[0].name, "SumBackward0");
  EXPECT_EQ(program.uses[0].label, "head");
  EXPECT_EQ(program.uses[0].cost_us, 7);
  EXPECT_EQ(program.uses[0].background_bytes, (plan::Background{2, 16, 0}));
}

TEST(BuildProgram, AUseOfExternalStoragesAloneNeedsNothingAndStillHasABackground) {
  StepBuilder step;
  const int weight = step.external(4);
  step.make("aten::mm", 4, {step.all(weight)});
  step.use("MmBackward0", {step.all(weight)});
  step.trace.uses[0].peak_bytes = 50;
  const BuiltProgram built = build_program(step.trace);
  EXPECT_THAT(built.program.values, IsEmpty());
  EXPECT_THAT(built.program.recipes, IsEmpty());
  EXPECT_THAT(built.program.uses[0].needs, IsEmpty());
  EXPECT_EQ(plan::simulate_keep_all(built.program).peak_bytes, 50);
}

TEST(BuildProgram, TransientBytesAreTheMostBesideWhatTheRecipeHasMadeSoFar) {
  StepBuilder step;
  const int buffer = step.make("aten::empty", 10);
  const int copy = step.make("aten::clone", 20, {step.all(buffer)});
  step.write("aten::sort_", step.all(buffer));
  step.trace.ops[0].transient_bytes = 10;
  step.trace.ops[1].transient_bytes = 25;
  step.trace.ops[2].transient_bytes = 7;
  step.use("SortBackward0", {step.all(copy)});
  EXPECT_EQ(build_program(step.trace).program.recipes[0].transient_bytes, 37);  // 10 + 20 + 7
}

TEST(BuildProgram, TransientBytesAreAtLeastThoseOfTheResults) {
  StepBuilder step;
  const int made = step.make("aten::view_as_real_copy", 10);
  step.trace.ops[0].transient_bytes = 0;  // the bytes were there already
  step.use("CopyBackward0", {step.all(made)});
  EXPECT_EQ(build_program(step.trace).program.recipes[0].transient_bytes, 10);
}

TEST(BuildProgram, LabelsAreThoseOfTheLastOpThatHasOne) {
  StepBuilder step;
  const int made = step.make("aten::mm", 4);
  const int copy = step.make("aten::clone", 4, {step.all(made)});
  step.write("aten::relu_", step.all(made));
  step.write("aten::add_", step.all(made));
  step.trace.ops[0].label = "block.0";
  step.trace.ops[1].label = "block.1";
  step.use("AddBackward0", {step.all(made), step.all(copy)});
  const plan::Program program = build_program(step.trace).program;
  ASSERT_THAT(program.values, SizeIs(2));
  EXPECT_EQ(program.values[0].label, "block.0");
  EXPECT_EQ(program.values[1].label, "block.1");
  EXPECT_EQ(program.recipes[0].label, "block.1");
}

TEST(BuildProgram, CarriesOverWhatDescribesTheStep) {
  StepBuilder step;
  const int made = step.make("aten::mm", 24);
  step.trace.name = "gpt";
  step.trace.device = "cuda";
  step.trace.step_us = 30;
  step.trace.forward_us = 10;
  step.trace.storages[0].shape = {2, 3};
  step.trace.storages[0].dtype = "float32";
  step.make("aten::neg", 4, {step.all(made)});
  step.trace.ops[0].peak_bytes = 40;
  step.trace.ops[1].peak_bytes = -8;  // something older went
  step.use("MmBackward0", {step.all(made)});
  const plan::Program program = build_program(step.trace).program;
  EXPECT_EQ(program.name, "gpt");
  EXPECT_EQ(program.device, "cuda");
  EXPECT_EQ(program.step_us, 30);
  EXPECT_EQ(program.forward_us, 10);
  EXPECT_THAT(program.forward_peak_bytes, ElementsAre(40, 0));
  EXPECT_THAT(program.values[0].shape, ElementsAre(2, 3));
  EXPECT_EQ(program.values[0].dtype, "float32");
}

TEST(BuildProgram, OfAnEmptyStepIsEmpty) {
  const BuiltProgram built = build_program({});
  EXPECT_THAT(built.program.forward_peak_bytes, IsEmpty());
  EXPECT_THAT(built.value_of_storage, IsEmpty());
}

TEST(BuildProgram, RefusesANeedThatIsOverwrittenAndNamesTheUse) {
  StepBuilder step;
  const int made = step.make("aten::exp", 8);
  const Access saved = step.part(made, 0, 4);
  step.write("aten::add_", step.part(made, 3, 2));
  step.write("aten::add_", step.part(made, 4, 4));
  step.use("SumBackward0", {step.all(made)});
  step.use("ExpBackward0", {step.all(made), saved});
  EXPECT_EQ(complaint(step.trace),
            "uses[1] (ExpBackward0): needs[1]: expected what no later op writes, got version 0 of "
            "storage 0, which ops[1] (aten::add_) overwrites");
}

TEST(BuildProgram, TakesANeedOfAnOverwrittenExternalStorage) {
  StepBuilder step;
  const int statistics = step.external(4);
  const Access saved = step.all(statistics);
  step.write("aten::add_", step.all(statistics));
  step.use("AddBackward0", {saved});
  EXPECT_EQ(complaint(step.trace), "none");
}

TEST(BuildProgram, RefusesANeedThatNoOpMade) {
  StepBuilder step;
  const int made = step.make("aten::exp", 4);
  step.use("ExpBackward0", {step.all(made)});
  step.trace.ops.clear();
  EXPECT_EQ(complaint(step.trace), "uses[0] (ExpBackward0): needs[0]: no op has made storage 0");
}

TEST(BuildProgram, RefusesAReleaseBehindTheLastOpOfWhatIsNotHeld) {
  StepBuilder step;
  step.make("aten::exp", 4);
  step.trace.storages[0].released_at = 1;
  EXPECT_EQ(complaint(step.trace), "storages[0].released_at: expected one of the 1 ops, got 1");
}

TEST(BuildProgram, RefusesNumbersThatNoProgramHas) {
  StepBuilder step;
  const int made = step.make("aten::exp", 4);
  step.trace.ops[0].cost_us = -1;
  step.use("ExpBackward0", {step.all(made)});
  EXPECT_THAT(complaint(step.trace), HasSubstr("recipes[0].cost_us: must be a finite number"));
}

// Layers of ten ops, one of them in place, all of which read one mask; every layer writes its row
// of a shared buffer, as a recurrence does that collects its states.
TEST(BuildProgram, TakesFiftyThousandOps) {
  constexpr int kLayers = 5000;
  StepBuilder step;
  const int mask = step.make("aten::ones", 4);
  const int states = step.make("aten::empty", std::int64_t{4} * kLayers);
  int state = step.make("aten::zeros", 4);
  for (int layer = 0; layer < kLayers; ++layer) {
    for (int i = 0; i < 8; ++i) {
      state = step.make("aten::mul", 4, {step.all(state), step.all(mask)});
    }
    step.write("aten::relu_", step.all(state));
    step.write("aten::copy_", step.part(states, std::int64_t{4} * layer, 4), {step.all(state)});
    step.use("CopyBackward0", {step.part(states, std::int64_t{4} * layer, 4), step.all(mask)});
  }
  const plan::Program program = build_program(step.trace).program;
  EXPECT_EQ(program.ops(), 50'003);
  ASSERT_THAT(program.recipes, SizeIs(40'003));
  EXPECT_THAT(program.recipes[1].ops, SizeIs(1 + kLayers));
  EXPECT_THAT(program.recipes[1].inputs, SizeIs(kLayers));
  EXPECT_THAT(program.uses[4999].needs, ElementsAre(1, 0));
}

}  // namespace
}  // namespace reprise::profile
