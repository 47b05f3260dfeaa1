// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/synthetic_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "reprise/zoo/audio_encoder.h"
#include "train_step.h"

namespace reprise::zoo {
namespace {

using testing::StartsWith;

class SyntheticDataOf : public testing::TestWithParam<std::string> {};

TEST_P(SyntheticDataOf, AModelIsCalledSynthetic) {
  const std::unique_ptr<DataSource> data = tiny_data(GetParam());
  EXPECT_TRUE(data->is_synthetic());
  EXPECT_THAT(data->description(), StartsWith("synthetic "));
}

TEST_P(SyntheticDataOf, AModelIsAFunctionOfSplitAndIndex) {
  const std::unique_ptr<DataSource> data = tiny_data(GetParam());
  const Batch batch = data->batch(Split::kTrain, 7);
  data->batch(Split::kTrain, 8);
  const Batch again = data->batch(Split::kTrain, 7);
  EXPECT_TRUE(bitwise_equal(again.inputs, batch.inputs));
  EXPECT_TRUE(bitwise_equal({again.target}, {batch.target}));
  EXPECT_FALSE(bitwise_equal(data->batch(Split::kTrain, 8).inputs, batch.inputs));
  EXPECT_FALSE(bitwise_equal(data->batch(Split::kValidation, 7).inputs, batch.inputs));
}

TEST_P(SyntheticDataOf, AModelLeavesTheDefaultGeneratorAlone) {
  const std::unique_ptr<DataSource> data = tiny_data(GetParam());
  torch::manual_seed(5);
  const at::Tensor expected = torch::rand({4});
  torch::manual_seed(5);
  data->batch(Split::kTrain, 0);
  EXPECT_TRUE(bitwise_equal({torch::rand({4})}, {expected}));
}

INSTANTIATE_TEST_SUITE_P(Zoo, SyntheticDataOf, testing::ValuesIn(model_names()));

TEST(SyntheticText, CountsUp) {
  const Batch batch = synthetic_text({.batch_size = 4, .context = 8}).batch(Split::kTrain, 0);
  const at::Tensor step = (batch.target - batch.inputs[0]).remainder(256);
  EXPECT_TRUE(torch::equal(step, step.slice(1, 0, 1).expand({4, 8})));
  EXPECT_GE(step.min().item<int>(), 1);
  EXPECT_LE(step.max().item<int>(), 4);
}

TEST(SyntheticRectangles, HaveOneClassEach) {
  const SyntheticImageSizes sizes{.batch_size = 1, .image_size = 16, .classes = 3};
  const Batch batch = synthetic_rectangles(sizes).batch(Split::kTrain, 0);
  const auto inside = batch.target.gt(0).sum().item<std::int64_t>();
  EXPECT_EQ(batch.target.sum().item<std::int64_t>(),
            inside * batch.target.max().item<std::int64_t>());
  EXPECT_GE(inside, 25);  // sides are 16 / 4 + 1 to 16 / 2 + 1 pixels long
  EXPECT_LE(inside, 81);
}

TEST(LoudnessClasses, AreThreeDecibelsWide) {
  // A constant a has 20 log10(a) dB: 0 dB, -20 dB and -200 dB at least.
  const at::Tensor samples =
      torch::cat({torch::full({1, kAudioHop}, 1.0F), torch::full({1, kAudioHop}, 0.1F),
                  torch::zeros({1, kAudioHop + 10})},
                 1);
  // (96 + 0) / 3 = 32, cut to 31; (96 - 20) / 3 = 25.3; cut to 0. The last 10 samples are no frame.
  EXPECT_TRUE(torch::equal(loudness_classes(samples), torch::tensor({{31, 25, 0}})));
}

TEST(LoudnessBatch, SilencesAnEighthOfTheInputButNotOfTheTarget) {
  const at::Tensor recordings = torch::ones({2, 1600});
  const Batch batch = loudness_batch(recordings, batch_generator(1, Split::kTrain, 0));
  EXPECT_EQ(batch.inputs[0].sizes(), (std::vector<std::int64_t>{2, 1, 1600}));
  EXPECT_TRUE(torch::equal(batch.inputs[0].sum({1, 2}), torch::full({2}, 1400.0F)));
  EXPECT_TRUE(torch::equal(batch.target, torch::full({2, 5}, 31)));
  EXPECT_EQ(recordings.sum().item<float>(), 3200.0F);
}

}  // namespace
}  // namespace reprise::zoo
