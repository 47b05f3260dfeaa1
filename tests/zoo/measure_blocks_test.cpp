// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/measure_blocks.h"

#include <ATen/autocast_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "train_step.h"

namespace reprise::zoo {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Gt;

// Block b takes the sine b + 1 times: each sine saves its input, and all but the first of these are
// made inside the block.
class Sines final : public Model {
 public:
  Sines() : weight_(register_parameter("weight", torch::ones({100}))) {}

  at::Tensor loss(const Batch&) override {
    const at::Tensor h = run_segments(weight_ * 1, [](std::int64_t block, const at::Tensor& input) {
      at::Tensor x = input;
      for (std::int64_t i = 0; i <= block; ++i) {
        x = x.sin();
      }
      return x;
    });
    return h.sum();
  }
  std::int64_t blocks() const override { return 3; }
  std::string description() const override { return "sines"; }

 private:
  at::Tensor weight_;
};

TEST(MeasureBlocks, CountsWhatEachBlockWouldFree) {
  Sines model;
  EXPECT_THAT(measure_blocks(model, {}).saved_bytes, ElementsAre(0, 400, 800));
}

// [8, 4] times a weight of [4, 4], which autocast casts to 2 bytes per element.
class Products final : public Model {
 public:
  Products() : weight_(register_parameter("weight", torch::ones({4, 4}))) {}

  at::Tensor loss(const Batch&) override {
    return run_segment(
               segments().front(),
               [this](const at::Tensor& input) {
                 return input.mm(weight_).relu().mm(weight_).relu().mm(weight_);
               },
               torch::ones({8, 4}))
        .sum();
  }
  std::int64_t blocks() const override { return 1; }
  std::string description() const override { return "products"; }

 private:
  at::Tensor weight_;
};

TEST(MeasureBlocks, MeasuresUnderTheAutocastOfTheCaller) {
  Products model;
  // What each relu gives, 8 x 4 floats.
  EXPECT_THAT(measure_blocks(model, {}).saved_bytes, ElementsAre(256));
  at::autocast::set_autocast_enabled(at::kCPU, true);
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  const BlockMeasurements measured = measure_blocks(model, {});
  at::autocast::set_autocast_enabled(at::kCPU, false);
  // The same and the cast input, of 2 bytes per element. The cast weight lives in autocast's cache
  // until the pass ends, so a region does not free it.
  EXPECT_THAT(measured.saved_bytes, ElementsAre(3 * 64));
}

TEST(MeasureBlocks, CountsWhatEachBlockTakes) {
  Sines model;
  EXPECT_THAT(measure_blocks(model, {}).input_bytes, ElementsAre(400, 400, 400));
}

TEST(MeasureBlocks, CountsTheSkipsThatABlockTakes) {
  const std::shared_ptr<Model> model = make_model(tiny("unet"));
  const Batch batch = tiny_data("unet")->batch(Split::kTrain, 0);
  // [4, 3, 16, 16]; two levels down, [4, 4, 16, 16] and [4, 8, 8, 8]; up, with one skip each.
  EXPECT_THAT(measure_blocks(*model, batch).input_bytes,
              ElementsAre(12288, 16384, 8192, 4096 + 8192, 8192 + 16384));
}

TEST(MeasureBlocks, TimesEachBlock) {
  Sines model;
  const std::vector<double> forward_us = measure_blocks(model, {}).forward_us;
  EXPECT_EQ(forward_us.size(), 3U);
  EXPECT_THAT(forward_us, Each(Gt(0.0)));
}

TEST(MeasureBlocks, LeavesModelAndRandomNumbersAsTheyWere) {
  const std::shared_ptr<Model> model = make_model(tiny("cnn"));
  const Batch batch = tiny_data("cnn")->batch(Split::kTrain, 0);
  model->loss(batch);  // so that the statistics are not the first ones
  RegionPlacement placement;
  placement.segments = plan::every_k(4, 2);
  model->place_regions(placement);
  std::vector<at::Tensor> before;
  for (const at::Tensor& buffer : model->buffers()) {
    before.push_back(buffer.clone());
  }
  torch::manual_seed(5);
  const at::Tensor expected = torch::rand({4});

  torch::manual_seed(5);
  measure_blocks(*model, batch);

  EXPECT_TRUE(bitwise_equal({torch::rand({4})}, {expected}));
  EXPECT_TRUE(bitwise_equal(model->buffers(), before));
  EXPECT_EQ(model->placement().segments, placement.segments);
  EXPECT_FALSE(model->parameters().front().grad().defined());
}

TEST(MeasureBlocks, LeavesTheGeneratorOfAModelWithDropoutAsItWas) {
  const std::shared_ptr<Model> model = make_model(tiny("gpt"));
  torch::manual_seed(5);
  const at::Tensor expected = torch::rand({4});
  torch::manual_seed(5);
  measure_blocks(*model, tiny_data("gpt")->batch(Split::kTrain, 0));
  EXPECT_TRUE(bitwise_equal({torch::rand({4})}, {expected}));
}

}  // namespace
}  // namespace reprise::zoo
