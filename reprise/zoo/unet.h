// SPDX-License-Identifier: Apache-2.0
// A U-Net with BatchNorm: every level's activations are read again on the way up (Ronneberger et
// al. 2015).
#pragma once

#include <cstdint>
#include <vector>

#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/conv.h>

#include "reprise/zoo/model.h"

namespace reprise::zoo {

struct UnetSizes {
  std::int64_t base = 16;   // channels of the first level; doubles from level to level
  std::int64_t levels = 3;  // times the image is halved
  std::int64_t classes = 4;
};

// 2^levels, which divides an image's sides. Throws std::invalid_argument if a size is out of range.
std::int64_t image_multiple(const UnetSizes& sizes);

// Batch: inputs[0] images [B, 3, H, W] with H and W multiples of image_multiple(); target classes
// [B, H, W]. The loss is the cross entropy per pixel. Blocks in order: the first pair of
// convolutions, `levels` blocks down, `levels` blocks up.
class Unet final : public Model {
 public:
  // Throws std::invalid_argument if a size is not positive.
  explicit Unet(const UnetSizes& sizes);

  at::Tensor loss(const Batch& batch) override;
  at::Tensor scores(const at::Tensor& images);  // [B, classes, H, W]

  std::int64_t blocks() const override { return 2 * sizes_.levels + 1; }
  std::string description() const override;

 private:
  class Double;
  class Down;
  class Up;

  // Runs the segment's blocks on the output `h` of the block before it. `skips` are those made by
  // earlier segments that its blocks up consume. Returns the skips that the segment made and that
  // are still needed, then the output of its last block, unless that is the last of these skips.
  std::vector<at::Tensor> run_blocks(const plan::Segment& segment, const at::Tensor& h,
                                     const std::vector<at::Tensor>& skips);
  std::int64_t skips_taken_by(const plan::Segment& segment) const;

  UnetSizes sizes_;
  std::shared_ptr<Double> inc_;  // also a part of this module
  torch::nn::ModuleList down_list_, up_list_;
  std::vector<std::shared_ptr<Down>> downs_;  // also in down_list_
  std::vector<std::shared_ptr<Up>> ups_;      // also in up_list_
  torch::nn::Conv2d outc_;
};

}  // namespace reprise::zoo
