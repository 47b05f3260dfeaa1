// SPDX-License-Identifier: Apache-2.0
// A residual convolutional network with bottleneck blocks, BatchNorm and in-place ReLU (He et al.
// 2015; depths 3, 4, 6, 3 with width 64 and 1000 classes are its ResNet-50).
#pragma once

#include <cstdint>
#include <vector>

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "reprise/zoo/model.h"

namespace reprise::zoo {

struct CnnSizes {
  std::vector<std::int64_t> depths{2, 2, 2, 2};  // blocks per stage
  std::int64_t width = 16;  // channels of the stem; doubles from stage to stage
  std::int64_t classes = 10;
};

// Batch: inputs[0] images [B, 3, H, W], target classes [B]. The loss is the cross entropy.
// A block is a bottleneck block; the stem and the head are in none.
class Cnn final : public Model {
 public:
  // Throws std::invalid_argument if a size is not positive.
  explicit Cnn(const CnnSizes& sizes);

  at::Tensor loss(const Batch& batch) override;
  at::Tensor scores(const at::Tensor& images);  // [B, classes]

  std::int64_t blocks() const override { return static_cast<std::int64_t>(blocks_.size()); }
  std::string description() const override;

 private:
  class Bottleneck;

  CnnSizes sizes_;
  torch::nn::Conv2d stem_;
  torch::nn::BatchNorm2d bn_;
  torch::nn::ModuleList block_list_;
  std::vector<std::shared_ptr<Bottleneck>> blocks_;  // also in block_list_
  torch::nn::Linear fc_;
};

}  // namespace reprise::zoo
