// SPDX-License-Identifier: Apache-2.0
// Images from IDX files, to classify or to segment. The last tenth of the images is for validation.
// Grey values are scaled to [-1, 1] and repeated in three channels. A batch is drawn with
// replacement.
#pragma once

#include <string>

#include "reprise/zoo/data.h"

namespace reprise::zoo {

// Batches for Cnn: inputs[0] [B, 3, H, W], target: the labels [B].
class LabelledImages final : public DataSource {
 public:
  // Throws FormatError if a file is damaged, the numbers of images and labels differ, there are
  // fewer than 10 images or a label is not in [0, classes).
  LabelledImages(std::string images, const std::string& labels, std::int64_t classes,
                 std::int64_t batch_size, std::uint64_t seed);

  Batch batch(Split split, std::int64_t index) const override;
  std::string item() const override { return "images"; }
  std::int64_t items_per_batch() const override { return batch_size_; }
  std::string description() const override;
  bool is_synthetic() const override { return false; }

 private:
  std::string path_;
  at::Tensor images_, labels_;
  std::int64_t batch_size_;
  std::uint64_t seed_;
};

// Batches for Unet: inputs[0] [B, 3, H, W] is the image under noise, target [B, H, W] is 1 where
// the image itself is brighter than half, else 0. H and W are padded (black) to multiples of
// `multiple`.
class SegmentedImages final : public DataSource {
 public:
  // Throws FormatError if the file is damaged or there are fewer than 10 images.
  SegmentedImages(std::string images, std::int64_t multiple, std::int64_t batch_size,
                  std::uint64_t seed);

  Batch batch(Split split, std::int64_t index) const override;
  std::string item() const override { return "images"; }
  std::int64_t items_per_batch() const override { return batch_size_; }
  std::string description() const override;
  bool is_synthetic() const override { return false; }

 private:
  std::string path_;
  at::Tensor images_;
  std::int64_t batch_size_;
  std::uint64_t seed_;
};

}  // namespace reprise::zoo
