// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/measure_blocks.h"

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
    at::Tensor h = weight_ * 1;
    for (const plan::Segment& segment : segments()) {
      h = run_segment(
          segment,
          [segment](const at::Tensor& input) {
            at::Tensor x = input;
            for (std::int64_t block = segment.first; block < segment.last; ++block) {
              for (std::int64_t i = 0; i <= block; ++i) {
                x = x.sin();
              }
            }
            return x;
          },
          h);
    }
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
