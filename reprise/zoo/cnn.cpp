// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/cnn.h"

#include <iterator>
#include <stdexcept>

#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/max_pool2d.h>
#include <torch/nn/modules/container/sequential.h>

#include "reprise/plan/checks.h"
#include "reprise/zoo/sizes.h"

namespace reprise::zoo {
namespace {

constexpr std::int64_t kMostStages = 16;
constexpr std::int64_t kExpansion = 4;  // a block's outputs per inner channel

CnnSizes checked(const CnnSizes& sizes) {
  for (const std::int64_t depth : sizes.depths) {
    check_positive("Cnn", "each of depths", depth);
  }
  check_positive("Cnn", "number of depths", std::ssize(sizes.depths));
  plan::require_at_most("Cnn", "number of depths", std::ssize(sizes.depths), kMostStages);
  check_positive("Cnn", "width", sizes.width);
  check_positive("Cnn", "classes", sizes.classes);
  return sizes;
}

torch::nn::Conv2dOptions convolution(std::int64_t inputs, std::int64_t outputs, std::int64_t kernel,
                                     std::int64_t stride, std::int64_t padding) {
  return torch::nn::Conv2dOptions(inputs, outputs, kernel)
      .stride(stride)
      .padding(padding)
      .bias(false);
}

}  // namespace

class Cnn::Bottleneck final : public torch::nn::Module {
 public:
  Bottleneck(std::int64_t inputs, std::int64_t width, std::int64_t stride)
      : c1_(register_module("c1", torch::nn::Conv2d(convolution(inputs, width, 1, 1, 0)))),
        b1_(register_module("b1", torch::nn::BatchNorm2d(width))),
        c2_(register_module("c2", torch::nn::Conv2d(convolution(width, width, 3, stride, 1)))),
        b2_(register_module("b2", torch::nn::BatchNorm2d(width))),
        c3_(register_module("c3",
                            torch::nn::Conv2d(convolution(width, kExpansion * width, 1, 1, 0)))),
        b3_(register_module("b3", torch::nn::BatchNorm2d(kExpansion * width))) {
    if (stride > 1 || inputs != kExpansion * width) {
      down_ = register_module(
          "down", torch::nn::Sequential(
                      torch::nn::Conv2d(convolution(inputs, kExpansion * width, 1, stride, 0)),
                      torch::nn::BatchNorm2d(kExpansion * width)));
    }
  }

  at::Tensor forward(const at::Tensor& x) {
    at::Tensor h = b1_(c1_(x)).relu_();
    h = b2_(c2_(h)).relu_();
    h = b3_(c3_(h));
    return (h + (down_ ? down_->forward(x) : x)).relu_();
  }

 private:
  torch::nn::Conv2d c1_;
  torch::nn::BatchNorm2d b1_;
  torch::nn::Conv2d c2_;
  torch::nn::BatchNorm2d b2_;
  torch::nn::Conv2d c3_;
  torch::nn::BatchNorm2d b3_;
  torch::nn::Sequential down_{nullptr};  // where the shape changes
};

Cnn::Cnn(const CnnSizes& sizes)
    : sizes_(checked(sizes)),
      stem_(register_module("stem", torch::nn::Conv2d(convolution(3, sizes.width, 7, 2, 3)))),
      bn_(register_module("bn", torch::nn::BatchNorm2d(sizes.width))),
      block_list_(register_module("blocks", torch::nn::ModuleList())),
      fc_(nullptr) {
  std::int64_t channels = sizes.width;
  std::int64_t width = sizes.width;
  for (std::size_t stage = 0; stage < sizes.depths.size(); ++stage) {
    for (std::int64_t i = 0; i < sizes.depths[stage]; ++i) {
      const std::int64_t stride = stage > 0 && i == 0 ? 2 : 1;
      blocks_.push_back(std::make_shared<Bottleneck>(channels, width, stride));
      block_list_->push_back(blocks_.back());
      channels = kExpansion * width;
    }
    width *= 2;
  }
  fc_ = register_module("fc", torch::nn::Linear(channels, sizes.classes));
}

at::Tensor Cnn::loss(const Batch& batch) {
  if (batch.inputs.size() != 1 || batch.inputs[0].dim() != 4 || batch.inputs[0].size(1) != 3) {
    throw std::invalid_argument("Cnn::loss: expected one input [B, 3, H, W]");
  }
  return at::cross_entropy_loss(scores(batch.inputs[0]), batch.target);
}

at::Tensor Cnn::scores(const at::Tensor& images) {
  const at::Tensor x = at::max_pool2d(bn_(stem_(images)).relu_(), 3, 2, 1);
  const at::Tensor h = run_segments(x, [this](std::int64_t block, const at::Tensor& input) {
    return blocks_[static_cast<std::size_t>(block)]->forward(input);
  });
  return fc_(h.mean({2, 3}));
}

std::string Cnn::description() const {
  std::string depths;
  for (const std::int64_t depth : sizes_.depths) {
    depths += depths.empty() ? "" : "-";
    depths += std::to_string(depth);
  }
  return "cnn: depths " + depths + ", width " + std::to_string(sizes_.width) + ", " +
         std::to_string(sizes_.classes) + " classes";
}

}  // namespace reprise::zoo
