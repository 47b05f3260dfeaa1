// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/image_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "reprise/plan/format_error.h"
#include "reprise/zoo/idx_file.h"
#include "temporary_folder.h"

namespace reprise::zoo {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Shape = std::vector<std::int64_t>;

// Images of one pixel row: number i is all of value 20 i.
Bytes images(std::uint8_t count, std::uint8_t width) {
  Bytes bytes{0, 0, 8, 3, 0, 0, 0, count, 0, 0, 0, 1, 0, 0, 0, width};
  for (int i = 0; i < count; ++i) {
    bytes.insert(bytes.end(), width, static_cast<std::uint8_t>(20 * i));
  }
  return bytes;
}

// Label i of image i.
Bytes labels(std::uint8_t count) {
  Bytes bytes{0, 0, 8, 1, 0, 0, 0, count};
  for (int i = 0; i < count; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(i));
  }
  return bytes;
}

std::string image_error(const Bytes& bytes) {
  const TemporaryFolder folder;
  const std::string message = message_of([&] { read_idx_images(folder.file("images", bytes)); });
  return message.substr(folder.path().size() + 1);
}

TEST(IdxFile, ReadsImages) {
  const TemporaryFolder folder;
  const at::Tensor read = read_idx_images(
      folder.file("i", Bytes{0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 255}));
  EXPECT_EQ(read.sizes(), (Shape{1, 2, 3}));
  EXPECT_EQ(read[0][1][2].item<int>(), 255);
}

TEST(IdxFile, ReadsBigEndianSizes) {
  const TemporaryFolder folder;
  Bytes bytes{0, 0, 8, 1, 0, 0, 1, 2};
  bytes.resize(8 + 258);
  EXPECT_EQ(read_idx_labels(folder.file("l", bytes)).size(0), 258);
}

TEST(IdxFile, RefusesACompressedFile) {
  EXPECT_EQ(image_error({0x1F, 0x8B, 8, 0}),
            "images: offset 0: expected a plain IDX file, got a gzip file; unpack it first "
            "(gunzip)");
}

TEST(IdxFile, RefusesAnotherFormat) {
  EXPECT_EQ(image_error({'R', 'I', 'F', 'F', 0}),
            "images: offset 0: expected 0 0 8 3 (IDX, unsigned bytes, 3 dimensions), got 82 73 70 "
            "70");
  EXPECT_EQ(image_error({}),
            "images: offset 0: expected 0 0 8 3 (IDX, unsigned bytes, 3 dimensions), got an empty "
            "file");
}

TEST(IdxFile, RefusesLabelsWhereImagesAreExpected) {
  EXPECT_EQ(image_error(labels(3)),
            "images: offset 0: expected 0 0 8 3 (IDX, unsigned bytes, 3 dimensions), got 0 0 8 1");
}

TEST(IdxFile, RefusesATruncatedHeader) {
  EXPECT_EQ(image_error({0, 0, 8, 3, 0, 0}),
            "images: offset 4: expected 12 bytes of dimensions, got 2");
}

TEST(IdxFile, RefusesATruncatedOrLongerFile) {
  Bytes bytes = images(10, 2);
  bytes.pop_back();
  EXPECT_EQ(image_error(bytes), "images: offset 16: expected 20 bytes, got 19");
  bytes.push_back(0);
  bytes.push_back(0);
  EXPECT_EQ(image_error(bytes), "images: offset 16: expected 20 bytes, got 21");
}

TEST(IdxFile, RefusesSizesThatNoFileHas) {
  EXPECT_EQ(image_error({0, 0, 8, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1}),
            "images: offset 4: expected a dimension that a file can have, got 0");
  EXPECT_EQ(image_error({0, 0, 8, 3, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                         0xFF, 0xFF}),
            "images: offset 8: expected a dimension that a file can have, got 4294967295");
}

TEST(LabelledImages, GivesEachImageItsLabel) {
  const TemporaryFolder folder;
  const LabelledImages data(folder.file("i", images(10, 2)), folder.file("l", labels(10)), 10, 32,
                            1);
  const Batch batch = data.batch(Split::kTrain, 0);
  EXPECT_EQ(batch.inputs[0].sizes(), (Shape{32, 3, 1, 2}));
  const at::Tensor expected = batch.target.to(torch::kFloat) * 20 / 127.5 - 1;
  EXPECT_TRUE(torch::allclose(batch.inputs[0], expected.view({32, 1, 1, 1}).expand({32, 3, 1, 2})));
}

TEST(LabelledImages, ValidatesOnTheLastTenth) {
  const TemporaryFolder folder;
  const LabelledImages data(folder.file("i", images(10, 2)), folder.file("l", labels(10)), 10, 32,
                            1);
  EXPECT_TRUE(data.batch(Split::kTrain, 0).target.lt(9).all().item<bool>());
  EXPECT_TRUE(data.batch(Split::kValidation, 0).target.eq(9).all().item<bool>());
}

TEST(LabelledImages, GivesABatchAsAFunctionOfSeedAndIndex) {
  const TemporaryFolder folder;
  const std::string image_file = folder.file("i", images(10, 2));
  const std::string label_file = folder.file("l", labels(10));
  const LabelledImages data(image_file, label_file, 10, 32, 1);
  const LabelledImages again(image_file, label_file, 10, 32, 1);
  const LabelledImages other(image_file, label_file, 10, 32, 2);
  const at::Tensor target = data.batch(Split::kTrain, 4).target;
  EXPECT_TRUE(torch::equal(again.batch(Split::kTrain, 4).target, target));
  EXPECT_FALSE(torch::equal(other.batch(Split::kTrain, 4).target, target));
  EXPECT_FALSE(torch::equal(data.batch(Split::kTrain, 5).target, target));
}

TEST(LabelledImages, RefusesAnotherNumberOfLabels) {
  const TemporaryFolder folder;
  const std::string label_file = folder.file("l", labels(9));
  EXPECT_EQ(
      message_of([&] { LabelledImages(folder.file("i", images(10, 2)), label_file, 10, 4, 1); }),
      label_file + ": offset 4: expected 10 labels, one per image, got 9");
}

TEST(LabelledImages, RefusesALabelBeyondTheClasses) {
  const TemporaryFolder folder;
  const std::string label_file = folder.file("l", labels(10));
  EXPECT_EQ(
      message_of([&] { LabelledImages(folder.file("i", images(10, 2)), label_file, 9, 4, 1); }),
      label_file + ": expected labels below 9 (classes), got 9");
}

TEST(LabelledImages, RefusesFewerThanTenImages) {
  const TemporaryFolder folder;
  EXPECT_THROW(
      LabelledImages(folder.file("i", images(9, 2)), folder.file("l", labels(9)), 10, 4, 1),
      FormatError);
}

TEST(SegmentedImages, PadsToTheMultipleAndMarksBrightPixels) {
  const TemporaryFolder folder;
  // Training images 0 to 8 have the values 0, 20, ... 160: bright from 140 on.
  const SegmentedImages data(folder.file("i", images(10, 3)), 4, 64, 1);
  const Batch batch = data.batch(Split::kTrain, 0);
  EXPECT_EQ(batch.inputs[0].sizes(), (Shape{64, 3, 4, 4}));
  EXPECT_EQ(batch.target.sizes(), (Shape{64, 4, 4}));
  EXPECT_TRUE(batch.target.slice(1, 1).eq(0).all().item<bool>());
  EXPECT_TRUE(batch.target.slice(2, 3).eq(0).all().item<bool>());
  const at::Tensor is_bright = batch.target.select(1, 0).select(1, 0);
  EXPECT_EQ(is_bright.max().item<int>(), 1);
  EXPECT_EQ(is_bright.min().item<int>(), 0);
}

TEST(SegmentedImages, PutsNoiseOnTheImagesThatIsAFunctionOfSeedAndIndex) {
  const TemporaryFolder folder;
  const std::string path = folder.file("i", images(10, 4));
  const SegmentedImages data(path, 4, 8, 1);
  const SegmentedImages again(path, 4, 8, 1);
  const at::Tensor input = data.batch(Split::kTrain, 0).inputs[0];
  EXPECT_TRUE(torch::equal(again.batch(Split::kTrain, 0).inputs[0], input));
  EXPECT_FALSE(torch::equal(input.select(1, 0), input.select(1, 1)));
}

}  // namespace
}  // namespace reprise::zoo
