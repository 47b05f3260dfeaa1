// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/make_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "temporary_folder.h"

namespace reprise::zoo {
namespace {

std::string model_error(const ModelSpec& spec) {
  return message_of([&] { make_model(spec); });
}

std::string data_error(const ModelSpec& spec, const DataSpec& data) {
  return message_of([&] { make_data(spec, data); });
}

TEST(MakeModel, MakesEachModelWithItsDefaults) {
  EXPECT_EQ(make_model({.name = "gpt"})->description(),
            "gpt: 6 layers, dim 192, 6 heads, context 128, dropout 0.1, attention written");
  EXPECT_EQ(make_model({.name = "lstm"})->description(),
            "lstm: embedding 64, hidden 256, context 128");
  EXPECT_EQ(make_model({.name = "audio"})->description(),
            "audio: channels 64, 4 layers, dim 128, 4 heads, 32 classes, dropout 0.1");
  EXPECT_EQ(make_model({.name = "cnn"})->description(),
            "cnn: depths 2-2-2-2, width 16, 10 classes");
  EXPECT_EQ(make_model({.name = "unet"})->description(), "unet: base 16, 3 levels, 4 classes");
}

TEST(MakeModel, TakesTheSizesThatAreGiven) {
  EXPECT_EQ(make_model({.name = "gpt",
                        .layers = 2,
                        .dim = 8,
                        .heads = 2,
                        .context = 4,
                        .dropout = 0.0,
                        .attention = "sdpa"})
                ->description(),
            "gpt: 2 layers, dim 8, 2 heads, context 4, dropout 0, attention sdpa");
  EXPECT_EQ(make_model({.name = "cnn", .dim = 8, .classes = 3, .depths = {1, 2}})->description(),
            "cnn: depths 1-2, width 8, 3 classes");
}

TEST(MakeModel, RejectsAnUnknownName) {
  EXPECT_EQ(model_error({.name = "bert"}),
            "make_model: name must be gpt, lstm, audio, cnn or unet, got bert");
}

TEST(MakeModel, RejectsASizeThatTheModelDoesNotHave) {
  EXPECT_EQ(model_error({.name = "lstm", .heads = 2}),
            "make_model: heads must be given for model gpt, audio only, got lstm");
  EXPECT_EQ(model_error({.name = "gpt", .classes = 2}),
            "make_model: classes must be given for model cnn, unet only, got gpt");
}

TEST(MakeModel, RejectsAnUnknownAttention) {
  EXPECT_EQ(model_error({.attention = "fast"}),
            "make_model: attention must be written, sdpa or flash, got fast");
}

TEST(MakeModel, RejectsASizeOutOfRange) {
  EXPECT_EQ(model_error({.name = "gpt", .layers = 0}), "Gpt: layers must be positive, got 0");
}

TEST(MakeData, ReadsTheTextThatIsGiven) {
  const TemporaryFolder folder;
  const std::string path = folder.file("t", std::string(1000, 'x'));
  const std::unique_ptr<DataSource> data =
      make_data({.name = "lstm", .context = 10}, {.text = path, .batch_size = 3});
  EXPECT_FALSE(data->is_synthetic());
  EXPECT_EQ(data->items_per_batch(), 30);
}

TEST(MakeData, RejectsAPathThatTheModelHasNoUseFor) {
  EXPECT_EQ(data_error({.name = "cnn"}, {.text = "a.txt"}),
            "make_data: text must be given for model gpt, lstm only, got cnn");
  EXPECT_EQ(data_error({.name = "gpt"}, {.images = "a.idx"}),
            "make_data: images must be given for model cnn, unet only, got gpt");
  EXPECT_EQ(data_error({.name = "unet"}, {.labels = "a.idx"}),
            "make_data: labels must be given for model cnn only, got unet");
  EXPECT_EQ(data_error({.name = "lstm"}, {.wav = "folder"}),
            "make_data: wav must be given for model audio only, got lstm");
}

TEST(MakeData, RejectsImagesWithoutLabels) {
  EXPECT_EQ(data_error({.name = "cnn"}, {.images = "a.idx"}),
            "make_data: labels must be given together with images, got none");
  EXPECT_EQ(data_error({.name = "cnn"}, {.labels = "a.idx"}),
            "make_data: images must be given together with labels, got none");
}

TEST(MakeData, RejectsImageSizesThatTheModelCannotTake) {
  EXPECT_EQ(data_error({.name = "unet", .image_size = 12}, {}),
            "make_data: image_size must be a multiple of 2^levels (8), got 12");
  EXPECT_EQ(data_error({.name = "audio", .context = 399}, {}),
            "make_data: context must be at least 400, got 399");
}

TEST(MakeData, RejectsAnImageSizeBesideImagesFromAFile) {
  EXPECT_EQ(data_error({.name = "unet", .image_size = 32}, {.images = "a.idx"}),
            "make_data: image_size must be left out beside images, got 32");
}

TEST(MakeData, RejectsABatchWithoutItems) {
  EXPECT_EQ(data_error({}, {.batch_size = 0}), "make_data: batch_size must be positive, got 0");
}

}  // namespace
}  // namespace reprise::zoo
