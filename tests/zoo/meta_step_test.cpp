// SPDX-License-Identifier: Apache-2.0
// What is recorded of a model on the meta device is what is recorded of it on the CPU.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "reprise/memory_budget.h"
#include "reprise/plan/hash.h"
#include "reprise/plan/simulate.h"
#include "reprise/profile/meta_recorder.h"
#include "train_step.h"

namespace reprise::zoo {
namespace {

constexpr DataSpec kData{.batch_size = 3};

enum class Gradients { kMade, kThere };

std::shared_ptr<Model> trained_model(const ModelSpec& spec, Gradients gradients) {
  std::shared_ptr<Model> model = make_model(spec);
  model->train();
  if (gradients == Gradients::kThere) {
    for (const at::Tensor& parameter : model->parameters()) {
      parameter.mutable_grad() = torch::zeros_like(parameter).detach();
    }
  }
  return model;
}

plan::Program recorded_on_cpu(const ModelSpec& spec, Gradients gradients) {
  const std::shared_ptr<Model> model = trained_model(spec, gradients);
  const Batch batch = make_data(spec, kData)->batch(Split::kTrain, 0);
  MemoryBudget budget = MemoryBudget::minimum();
  budget.name(*model);
  {
    const auto step = budget.step();
    model->loss(batch).backward();
  }
  return budget.program().value();
}

plan::Program recorded_on_meta(const ModelSpec& spec, Gradients gradients) {
  profile::MetaRecorder recorder;
  const std::shared_ptr<Model> model = trained_model(spec, gradients);
  const Batch batch = batch_without_bytes(spec, kData);
  profile::ParameterNames names;
  for (const auto& parameter : model->named_parameters()) {
    names.add(parameter.key(), parameter.value());
  }
  for (const auto& buffer : model->named_buffers()) {
    names.add(buffer.key(), buffer.value());
  }
  return recorder.record([&] { model->loss(batch).backward(); }, names);
}

ModelSpec gpt(const std::string& attention) {
  ModelSpec spec = tiny("gpt");
  spec.attention = attention;
  return spec;
}

// The hash is of all values, recipes, uses and bytes.
void expect_same(const ModelSpec& spec, Gradients gradients = Gradients::kMade) {
  const plan::Program cpu = recorded_on_cpu(spec, gradients);
  const plan::Program meta = recorded_on_meta(spec, gradients);
  EXPECT_EQ(plan::program_hash(meta), plan::program_hash(cpu));
  EXPECT_EQ(plan::simulate_keep_all(meta).peak_bytes, plan::simulate_keep_all(cpu).peak_bytes);
  ASSERT_EQ(meta.values.size(), cpu.values.size());
  for (std::size_t i = 0; i < cpu.values.size(); ++i) {
    EXPECT_EQ(meta.values[i].label, cpu.values[i].label) << "value " << i;
    EXPECT_EQ(meta.values[i].shape, cpu.values[i].shape) << "value " << i;
    EXPECT_EQ(meta.values[i].dtype, cpu.values[i].dtype) << "value " << i;
  }
}

TEST(MetaStep, OfAGptIsTheStepOnTheCpuToTheByte) { expect_same(gpt("written")); }

TEST(MetaStep, AddsGradientsThatAreThereAsTheCpuDoes) {
  expect_same(gpt("written"), Gradients::kThere);
}

TEST(MetaStep, OfAGptTakesThePathOfAttentionThatTheCpuTakes) {
  expect_same(gpt("sdpa"));
  expect_same(gpt("flash"));
}

// Its weights are used at every time step, so the engine adds their gradients up.
TEST(MetaStep, OfAnLstmIsTheStepOnTheCpuToTheByte) {
  expect_same(tiny("lstm"));
  expect_same(tiny("lstm"), Gradients::kThere);
}

// What convolutions take while they run is oneDNN's choice, which is not known to the byte: put
// aside, for both programs.
void forget_convolutions(plan::Program& program) {
  for (plan::Recipe& recipe : program.recipes) {
    if (recipe.name == "aten::convolution") {
      recipe.transient_bytes = 0;
      program.forward_peak_bytes[static_cast<std::size_t>(recipe.ops.front())] = 0;
    }
  }
  for (plan::Use& use : program.uses) {
    use.background_bytes.running =
        use.name == "ConvolutionBackward0" ? 0 : use.background_bytes.running;
  }
}

void expect_same_but_for_convolutions(const ModelSpec& spec) {
  plan::Program cpu = recorded_on_cpu(spec, Gradients::kMade);
  plan::Program meta = recorded_on_meta(spec, Gradients::kMade);
  const auto peak = static_cast<double>(plan::simulate_keep_all(cpu).peak_bytes);
  EXPECT_NEAR(static_cast<double>(plan::simulate_keep_all(meta).peak_bytes), peak, 0.25 * peak);
  forget_convolutions(cpu);
  forget_convolutions(meta);
  EXPECT_EQ(plan::program_hash(meta), plan::program_hash(cpu));
  EXPECT_EQ(meta.forward_peak_bytes, cpu.forward_peak_bytes);
  for (std::size_t i = 0; i < cpu.uses.size(); ++i) {
    EXPECT_EQ(meta.uses[i].background_bytes, cpu.uses[i].background_bytes)
        << "use " << i << ", " << cpu.uses[i].name;
  }
}

TEST(MetaStep, OfAnAudioEncoderDiffersInsideOfConvolutionsOnly) {
  expect_same_but_for_convolutions(
      {.name = "audio", .layers = 2, .dim = 32, .heads = 2, .context = 4000});
}

TEST(MetaStep, OfACnnDiffersInsideOfConvolutionsOnly) {
  expect_same_but_for_convolutions(
      {.name = "cnn", .dim = 16, .image_size = 32, .depths = {2, 1, 1}});
}

TEST(MetaStep, OfAUnetDiffersInsideOfConvolutionsOnly) {
  expect_same_but_for_convolutions({.name = "unet", .layers = 2, .dim = 16, .image_size = 32});
}

TEST(BatchWithoutBytes, HasTheShapesAndTypesOfASyntheticBatch) {
  for (const std::string& name : model_names()) {
    SCOPED_TRACE(name);
    const Batch made = make_data(tiny(name), kData)->batch(Split::kTrain, 0);
    const Batch batch = batch_without_bytes(tiny(name), kData);
    ASSERT_EQ(batch.inputs.size(), 1U);
    EXPECT_TRUE(batch.inputs[0].is_meta());
    EXPECT_EQ(batch.inputs[0].sizes(), made.inputs[0].sizes());
    EXPECT_EQ(batch.inputs[0].strides(), made.inputs[0].strides());
    EXPECT_EQ(batch.inputs[0].dtype(), made.inputs[0].dtype());
    EXPECT_EQ(batch.target.sizes(), made.target.sizes());
    EXPECT_EQ(batch.target.dtype(), made.target.dtype());
  }
}

// GPT-3 and its gradients would take 1.3 TiB.
TEST(MetaStep, TakesModelsOfAnySize) {
  const ModelSpec spec{.name = "gpt", .layers = 96, .dim = 12288, .heads = 96, .context = 2048};
  const plan::Program program = recorded_on_meta(spec, Gradients::kThere);
  EXPECT_EQ(program.device, "meta");
  // Scores of 96 heads, kept a few times by each of 96 blocks.
  EXPECT_GT(plan::simulate_keep_all(program).peak_bytes, std::int64_t{96} * 96 * 2048 * 2048 * 4);
}

}  // namespace
}  // namespace reprise::zoo
