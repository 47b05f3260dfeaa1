// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/storage_writes.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/profile/complaint.h"
#include "tests/profile/step_builder.h"

namespace reprise::profile {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string complaint(const StepTrace& trace) {
  return complaint_of([&] { const StorageWrites writes(trace); });
}

TEST(StorageWrites, AreListedInTheOrderOfTheOps) {
  StepBuilder step;
  const int weight = step.external(8);
  const int made = step.make("aten::mul", 8, {step.all(weight)});
  step.write("aten::add_", step.part(made, 4, 4));
  const StorageWrites writes(step.trace);
  EXPECT_THAT(writes.of(weight), IsEmpty());
  ASSERT_THAT(writes.of(made), SizeIs(2));
  EXPECT_EQ(writes.of(made)[0].version, 0);
  EXPECT_EQ(writes.of(made)[1].op, 1);
  EXPECT_TRUE(writes.of(made)[1].bytes.overlap(tape::ByteRuns(step.part(made, 4, 1).view)));
  EXPECT_FALSE(writes.of(made)[1].bytes.overlap(tape::ByteRuns(step.part(made, 3, 1).view)));
}

TEST(StorageWrites, TellPerViewWhatIsOverwrittenAndByWhom) {
  StepBuilder step;
  const int gates = step.make("aten::addmm", 8);
  const Access first = step.part(gates, 0, 4);
  const Access second = step.part(gates, 4, 4);
  step.write("aten::sigmoid_", step.part(gates, 0, 4));
  step.write("aten::tanh_", step.part(gates, 0, 2));
  const StorageWrites writes(step.trace);
  EXPECT_TRUE(writes.outlives_later_writes(second));
  EXPECT_TRUE(writes.outlives_later_writes(step.all(gates)));
  EXPECT_FALSE(writes.outlives_later_writes(first));
  EXPECT_EQ(writes.overwrite_of(first)->op, 2);
}

TEST(StorageWrites, OfAnExternalStorageBeginWithVersionOne) {
  StepBuilder step;
  const int statistics = step.external(4);
  const Access before = step.all(statistics);
  step.write("aten::add_", step.all(statistics));
  const StorageWrites writes(step.trace);
  EXPECT_EQ(writes.of(statistics)[0].version, 1);
  EXPECT_FALSE(writes.outlives_later_writes(before));
}

TEST(StorageWrites, OneOpMayWriteTwoViewsAtOnce) {
  StepBuilder step;
  const int made = step.make("aten::empty", 8);
  step.write("aten::_foreach_add_", step.part(made, 0, 4));
  Access other = step.part(made, 4, 4);
  step.trace.ops.back().writes.push_back(other);
  EXPECT_EQ(complaint(step.trace), "none");
  other.version = 2;  // or one after the other
  step.trace.ops.back().writes.back() = other;
  EXPECT_EQ(complaint(step.trace), "none");
}

// A step of two ops of which the test breaks something.
struct TwoOps : StepBuilder {
  int made = make("aten::relu", 8);
  TwoOps() {
    write("aten::add_", all(made));
    use("AddBackward0", {all(made)});
  }
};

TEST(StorageWrites, RefuseAStorageThatIsNotThere) {
  TwoOps step;
  step.trace.ops[1].reads[0].storage = 1;
  EXPECT_EQ(complaint(step.trace),
            "ops[1] (aten::add_): reads[0].storage: expected one of 1, got 1");
}

TEST(StorageWrites, RefuseAReadOfAnotherVersionThanTheOneBefore) {
  TwoOps step;
  step.trace.ops[1].reads[0].version = 1;
  EXPECT_EQ(complaint(step.trace), "ops[1] (aten::add_): reads[0].version: expected 0, got 1");
}

TEST(StorageWrites, RefuseAVersionThatIsLeftOut) {
  TwoOps step;
  step.trace.ops[1].writes[0].version = 2;
  EXPECT_EQ(complaint(step.trace), "ops[1] (aten::add_): writes[0].version: expected 1, got 2");
}

TEST(StorageWrites, RefuseAReadBeforeTheFirstWrite) {
  TwoOps step;
  step.trace.ops[0].reads.push_back(step.all(step.made));
  EXPECT_EQ(complaint(step.trace), "ops[0] (aten::relu): reads[0]: no op has made storage 0");
}

TEST(StorageWrites, RefuseANeedOfAVersionThatIsNotThere) {
  TwoOps step;
  step.trace.uses[0].needs[0].version = 2;
  EXPECT_EQ(complaint(step.trace),
            "uses[0] (AddBackward0): needs[0].version: expected 0 to 1, got 2");
}

TEST(StorageWrites, RefuseAViewWithSizesThatHaveNoStrides) {
  TwoOps step;
  step.trace.uses[0].needs[0].view.strides.clear();
  EXPECT_THAT(complaint(step.trace), HasSubstr("expected as many strides as the 1 sizes, got 0"));
}

}  // namespace
}  // namespace reprise::profile
