// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "reprise/zoo/audio_encoder.h"
#include "reprise/zoo/cnn.h"
#include "reprise/zoo/unet.h"
#include "temporary_folder.h"

namespace reprise::zoo {
namespace {

using Shape = std::vector<std::int64_t>;

TEST(AudioEncoder, HasSevenConvolutionsAProjectionAndItsLayers) {
  EXPECT_EQ(AudioEncoder({.channels = 8, .layers = 3, .dim = 16, .heads = 2}).blocks(), 11);
}

TEST(AudioEncoder, MakesOneFrameOfItsShortestInput) {
  AudioEncoder model({.channels = 8, .layers = 1, .dim = 16, .heads = 2});
  const at::Tensor one_class = torch::zeros({2, 1}, torch::kLong);
  EXPECT_EQ(model.loss({{torch::randn({2, 1, kAudioWindow})}, one_class}).dim(), 0);
  EXPECT_EQ(message_of([&] {
              model.loss({{torch::randn({2, 1, 399})}, one_class});
            }),
            "AudioEncoder::loss: expected at least 400 samples, got 399");
}

TEST(AudioEncoder, MakesAFrameEveryHop) {
  AudioEncoder model({.channels = 8, .layers = 1, .dim = 16, .heads = 2});
  const at::Tensor samples = torch::randn({2, 1, kAudioWindow + 3 * kAudioHop});
  const at::Tensor three = torch::zeros({2, 3}, torch::kLong);
  const at::Tensor four = torch::zeros({2, 4}, torch::kLong);
  EXPECT_THROW(model.loss({{samples}, three}), c10::Error);
  EXPECT_NO_THROW(model.loss({{samples}, four}));
}

TEST(AudioEncoder, RejectsChannelsThatItsGroupsDoNotDivide) {
  EXPECT_EQ(message_of([] { AudioEncoder({.channels = 12}); }),
            "AudioEncoder: channels must be a multiple of groups (8), got 12");
}

TEST(Cnn, HasResNet50sBlocksAndParametersAtItsSizes) {
  Cnn model({.depths = {3, 4, 6, 3}, .width = 64, .classes = 1000});
  std::int64_t parameters = 0;
  for (const at::Tensor& parameter : model.parameters()) {
    parameters += parameter.numel();
  }
  EXPECT_EQ(model.blocks(), 16);
  EXPECT_EQ(parameters, 25'557'032);
}

TEST(Cnn, ScoresEachClass) {
  Cnn model({.depths = {1, 1}, .width = 4, .classes = 5});
  EXPECT_EQ(model.scores(torch::randn({2, 3, 16, 16})).sizes(), (Shape{2, 5}));
}

TEST(Cnn, RejectsEmptyStages) {
  EXPECT_EQ(message_of([] {
              Cnn({.depths = {1, 0}});
            }),
            "Cnn: each of depths must be positive, got 0");
  EXPECT_THROW(Cnn({.depths = {}}), std::invalid_argument);
}

TEST(Cnn, RejectsImagesWithoutThreeChannels) {
  Cnn model({.depths = {1}, .width = 4});
  EXPECT_THROW(model.loss({{torch::randn({2, 1, 16, 16})}, torch::zeros({2}, torch::kLong)}),
               std::invalid_argument);
}

TEST(Unet, ScoresEachClassOfEachPixel) {
  Unet model({.base = 4, .levels = 2, .classes = 3});
  EXPECT_EQ(model.blocks(), 5);
  EXPECT_EQ(model.scores(torch::randn({2, 3, 8, 12})).sizes(), (Shape{2, 3, 8, 12}));
}

TEST(Unet, RejectsSidesThatItCannotHalve) {
  Unet model({.base = 4, .levels = 3});
  EXPECT_EQ(message_of([&] {
              model.loss({{torch::randn({1, 3, 8, 12})}, torch::zeros({1, 8, 12}, torch::kLong)});
            }),
            "Unet::loss: expected height and width that are multiples of 8, got 8 x 12");
}

TEST(Unet, RejectsLevelsOutOfRange) {
  EXPECT_THROW(Unet({.levels = 0}), std::invalid_argument);
  EXPECT_THROW(Unet({.levels = 17}), std::invalid_argument);
}

}  // namespace
}  // namespace reprise::zoo
