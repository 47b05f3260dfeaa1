// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/image_data.h"

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>

#include "reprise/plan/format_error.h"
#include "reprise/zoo/idx_file.h"

namespace reprise::zoo {
namespace {

constexpr double kNoise = 0.5;        // standard deviation, of a range of [-1, 1]
constexpr std::int64_t kHalf = 127;   // brightest grey value that counts as dark
constexpr std::int64_t kFewest = 10;  // images, so that a tenth is not empty

at::Tensor read_images(const std::string& path) {
  at::Tensor images = read_idx_images(path);
  if (images.size(0) < kFewest) {
    throw FormatError::mismatch(path, "at least 10 images", std::to_string(images.size(0)));
  }
  return images;
}

std::int64_t training_images(const at::Tensor& images) {
  return images.size(0) - images.size(0) / 10;
}

// Numbers of images of the split, [count] of int64.
at::Tensor drawn(const at::Tensor& images, Split split, std::int64_t count,
                 const at::Generator& generator) {
  const std::int64_t boundary = training_images(images);
  return split == Split::kTrain
             ? at::randint(boundary, {count}, generator, at::kLong)
             : at::randint(boundary, images.size(0), {count}, generator, at::kLong);
}

// [B, H, W] of uint8 -> [B, 3, H, W] of float in [-1, 1].
at::Tensor scaled(const at::Tensor& grey) {
  const at::Tensor images = grey.to(at::kFloat) / 127.5 - 1.0;
  return images.unsqueeze(1).expand({-1, 3, -1, -1}).contiguous();
}

std::string described(const std::string& path, const at::Tensor& images) {
  const std::int64_t boundary = training_images(images);
  return path + ": " + std::to_string(boundary) + " images of " + std::to_string(images.size(1)) +
         " x " + std::to_string(images.size(2)) + " to train on, " +
         std::to_string(images.size(0) - boundary) + " to validate on";
}

std::int64_t padding(std::int64_t size, std::int64_t multiple) {
  return (multiple - size % multiple) % multiple;
}

}  // namespace

LabelledImages::LabelledImages(std::string images, const std::string& labels, std::int64_t classes,
                               std::int64_t batch_size, std::uint64_t seed)
    : path_(std::move(images)),
      images_(read_images(path_)),
      labels_(read_idx_labels(labels)),
      batch_size_(batch_size),
      seed_(seed) {
  if (labels_.size(0) != images_.size(0)) {
    throw FormatError::mismatch(place_at_offset(labels, 4),
                                std::to_string(images_.size(0)) + " labels, one per image",
                                std::to_string(labels_.size(0)));
  }
  const auto largest = labels_.max().item<std::int64_t>();
  if (largest >= classes) {
    throw FormatError::mismatch(labels, "labels below " + std::to_string(classes) + " (classes)",
                                std::to_string(largest));
  }
}

Batch LabelledImages::batch(Split split, std::int64_t index) const {
  const at::Tensor numbers =
      drawn(images_, split, batch_size_, batch_generator(seed_, split, index));
  return {{scaled(images_.index_select(0, numbers))},
          labels_.index_select(0, numbers).to(at::kLong)};
}

std::string LabelledImages::description() const { return described(path_, images_); }

SegmentedImages::SegmentedImages(std::string images, std::int64_t multiple, std::int64_t batch_size,
                                 std::uint64_t seed)
    : path_(std::move(images)), images_(read_images(path_)), batch_size_(batch_size), seed_(seed) {
  images_ = at::constant_pad_nd(
      images_, {0, padding(images_.size(2), multiple), 0, padding(images_.size(1), multiple)});
}

Batch SegmentedImages::batch(Split split, std::int64_t index) const {
  const at::Generator generator = batch_generator(seed_, split, index);
  const at::Tensor grey = images_.index_select(0, drawn(images_, split, batch_size_, generator));
  const at::Tensor images = scaled(grey);
  const at::Tensor noise = at::randn(images.sizes(), generator, at::kFloat) * kNoise;
  return {{images + noise}, grey.gt(kHalf).to(at::kLong)};
}

std::string SegmentedImages::description() const {
  return described(path_, images_) + ", dark or bright per pixel, under noise";
}

}  // namespace reprise::zoo
