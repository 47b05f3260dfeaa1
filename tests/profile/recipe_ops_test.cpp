// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/recipe_ops.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/profile/step_builder.h"

namespace reprise::profile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Groups = std::vector<std::vector<int>>;

Groups groups_of(const StepBuilder& step, const std::vector<int>& needed) {
  return group_ops(step.trace, StorageWrites(step.trace), needed);
}

TEST(GroupOps, OpsThatWriteNewStoragesAreARecipeEach) {
  StepBuilder step;
  const int input = step.external(4);
  const int first = step.make("aten::mm", 4, {step.all(input)});
  const int second = step.make("aten::gelu", 4, {step.all(first)});
  EXPECT_THAT(groups_of(step, {second}), ElementsAre(ElementsAre(0), ElementsAre(1)));
}

TEST(GroupOps, AnInPlaceChainIsOne) {
  StepBuilder step;
  const int mask = step.make("aten::empty", 4);
  step.write("aten::bernoulli_", step.all(mask));
  step.write("aten::div_", step.all(mask));
  EXPECT_THAT(groups_of(step, {mask}), ElementsAre(ElementsAre(0, 1, 2)));
}

TEST(GroupOps, OpsBehindNothingThatIsNeededAreInNone) {
  StepBuilder step;
  const int first = step.make("aten::mm", 4);
  const int second = step.make("aten::gelu", 4, {step.all(first)});
  step.make("aten::sum", 4, {step.all(second)});
  EXPECT_THAT(groups_of(step, {first}), ElementsAre(ElementsAre(0)));
  EXPECT_THAT(groups_of(step, {}), IsEmpty());
}

TEST(GroupOps, AnOpThatWritesNothingButExternalStoragesIsInNone) {
  StepBuilder step;
  const int statistics = step.external(4);
  const int made = step.make("aten::mm", 4);
  step.write("aten::add_", step.all(statistics), {step.all(made)});
  step.write("aten::relu_", step.all(made));
  EXPECT_THAT(groups_of(step, {made}), ElementsAre(ElementsAre(0, 2)));
}

// Of a log line, say: it would run each time that `made` is made again.
TEST(GroupOps, AReaderOfAnOverwrittenVersionThatNobodyNeedsDoesNotJoin) {
  StepBuilder step;
  const int made = step.make("aten::mm", 4);
  step.make("aten::mean", 4, {step.all(made)});
  step.write("aten::relu_", step.all(made));
  EXPECT_THAT(groups_of(step, {made}), ElementsAre(ElementsAre(0, 2)));
}

// A gru: the gates are read through two chunks, of which one is written again.
TEST(GroupOps, AReaderJoinsOnlyIfItsChunkIsOverwritten) {
  StepBuilder step;
  const int gates = step.make("aten::addmm", 8);
  const int overwritten = step.make("aten::mul", 4, {step.part(gates, 0, 4)});
  const int survives = step.make("aten::neg", 4, {step.part(gates, 4, 4)});
  step.write("aten::sigmoid_", step.part(gates, 0, 4));
  EXPECT_THAT(groups_of(step, {overwritten, survives}),
              ElementsAre(ElementsAre(0, 1, 3), ElementsAre(2)));
}

// Else `clone` would be a recipe that runs the first op of the chain a second time.
TEST(GroupOps, ACloneOfAnIntermediateVersionIsOneMoreResultOfTheChain) {
  StepBuilder step;
  const int made = step.make("aten::mm", 4);
  const int clone = step.make("aten::clone", 4, {step.all(made)});
  step.write("aten::mul_", step.all(made));
  const int reader = step.make("aten::neg", 4, {step.all(clone)});
  EXPECT_THAT(groups_of(step, {made, reader}), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3)));
}

// The copy joins the first chain, and is written into by what the first chain is added to.
TEST(GroupOps, ChainsThatShareAnOpAreOne) {
  StepBuilder step;
  const int first = step.make("aten::mm", 4);
  const int second = step.make("aten::clone", 4, {step.all(first)});
  step.write("aten::relu_", step.all(first));
  step.write("aten::mul_", step.all(second));
  EXPECT_THAT(groups_of(step, {second}), ElementsAre(ElementsAre(0, 1, 2, 3)));
}

TEST(GroupOps, ChainsThatNeedEachOtherAreOne) {
  StepBuilder step;
  const int first = step.make("aten::empty", 8);
  const int second = step.make("aten::empty", 8);
  step.write("aten::add_", step.part(first, 0, 4), {step.part(second, 0, 4)});
  step.write("aten::add_", step.part(second, 4, 4), {step.part(first, 4, 4)});
  EXPECT_THAT(groups_of(step, {first}), ElementsAre(ElementsAre(0, 1, 2, 3)));
}

TEST(GroupOps, ARecipeBetweenTwoPartsOfAChainIsPartOfIt) {
  StepBuilder step;
  const int buffer = step.make("aten::empty", 8);
  const int middle = step.make("aten::mul", 4, {step.part(buffer, 0, 4)});
  const int after = step.make("aten::neg", 4, {step.all(middle)});
  step.write("aten::copy_", step.part(buffer, 4, 4), {step.all(after)});
  const int reader = step.make("aten::sum", 4, {step.all(buffer)});
  EXPECT_THAT(groups_of(step, {reader}), ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4)));
}

TEST(GroupOps, WhatANeededOpMakesBesidesIsMadeToItsEnd) {
  StepBuilder step;
  const int output = step.make("aten::native_batch_norm", 8);
  const int statistics = step.make_also(4);
  step.write("aten::clamp_", step.all(statistics));
  EXPECT_THAT(groups_of(step, {output}), ElementsAre(ElementsAre(0, 1)));
}

}  // namespace
}  // namespace reprise::profile
