// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/op_effects.h"

#include <vector>

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

namespace reprise::tape {
namespace {

using Arguments = std::vector<c10::IValue>;

const at::Device kMeta(at::DeviceType::Meta);

const c10::OperatorHandle op_named(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "");
}

TEST(GeneratorOf, IsTheOnePassedToTheOp) {
  const at::Generator own = at::make_generator<at::CPUGeneratorImpl>(3);
  EXPECT_EQ(generator_of(Arguments{torch::ones({2}), 0.5, own}), own);
}

TEST(GeneratorOf, IsTheDefaultOneOfTheTensorsDevice) {
  EXPECT_EQ(generator_of(Arguments{torch::ones({2}), 0.5, c10::IValue()}),
            at::detail::getDefaultCPUGenerator());
}

TEST(GeneratorOf, GoesByTheDeviceThatTheResultIsAskedFor) {
  const at::Tensor on_meta = torch::empty({2}, at::TensorOptions().device(kMeta));
  EXPECT_EQ(generator_of(Arguments{on_meta, at::Device(at::kCPU)}),
            at::detail::getDefaultCPUGenerator());
}

TEST(GeneratorOf, IsThatOfTheCpuWhereNoNumbersAreHeld) {
  EXPECT_EQ(generator_of(Arguments{torch::ones({2}), kMeta}), at::detail::getDefaultCPUGenerator());
}

TEST(IsRandom, KnowsOpsThatDraw) {
  EXPECT_TRUE(is_random(op_named("aten::bernoulli")));
  EXPECT_FALSE(is_random(op_named("aten::relu")));
}

Arguments batch_norm_arguments(bool is_training) {
  const at::Tensor two = torch::ones({2});
  return {torch::ones({4, 2}), two, two, two, two, is_training, 0.1, 1e-5};
}

TEST(WritesArgument, KnowsThatBatchNormWritesItsStatisticsInTraining) {
  const Arguments arguments = batch_norm_arguments(/*is_training=*/true);
  EXPECT_TRUE(writes_argument(op_named("aten::native_batch_norm"), arguments, 3));
  EXPECT_TRUE(writes_argument(op_named("aten::native_batch_norm"), arguments, 4));
  EXPECT_FALSE(writes_argument(op_named("aten::native_batch_norm"), arguments, 0));
}

TEST(WritesArgument, KnowsThatBatchNormOnlyReadsThemInEvaluation) {
  const Arguments arguments = batch_norm_arguments(/*is_training=*/false);
  EXPECT_FALSE(writes_argument(op_named("aten::native_batch_norm"), arguments, 3));
}

TEST(WritesArgument, FollowsTheSchemaElsewhere) {
  const Arguments arguments{torch::ones({2})};
  EXPECT_TRUE(writes_argument(op_named("aten::relu_"), arguments, 0));
  EXPECT_FALSE(writes_argument(op_named("aten::relu"), arguments, 0));
}

}  // namespace
}  // namespace reprise::tape
