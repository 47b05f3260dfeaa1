// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/unet.h"

#include <algorithm>
#include <stdexcept>

#include <ATen/ops/cat.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/max_pool2d.h>
#include <torch/nn/modules/batchnorm.h>

#include "reprise/plan/checks.h"
#include "reprise/zoo/sizes.h"

namespace reprise::zoo {
namespace {

constexpr std::int64_t kMostLevels = 16;

UnetSizes checked(const UnetSizes& sizes) {
  check_positive("Unet", "base", sizes.base);
  check_positive("Unet", "levels", sizes.levels);
  check_positive("Unet", "classes", sizes.classes);
  plan::require_at_most("Unet", "levels", sizes.levels, kMostLevels);
  return sizes;
}

torch::nn::Conv2dOptions convolution(std::int64_t inputs, std::int64_t outputs) {
  return torch::nn::Conv2dOptions(inputs, outputs, 3).padding(1).bias(false);
}

std::vector<at::Tensor> pop(std::vector<at::Tensor>& stack, std::int64_t count) {
  std::vector<at::Tensor> top(stack.end() - count, stack.end());
  stack.resize(stack.size() - static_cast<std::size_t>(count));
  return top;
}

}  // namespace

std::int64_t image_multiple(const UnetSizes& sizes) {
  return std::int64_t{1} << checked(sizes).levels;
}

class Unet::Double final : public torch::nn::Module {
 public:
  Double(std::int64_t inputs, std::int64_t outputs)
      : c1_(register_module("c1", torch::nn::Conv2d(convolution(inputs, outputs)))),
        b1_(register_module("b1", torch::nn::BatchNorm2d(outputs))),
        c2_(register_module("c2", torch::nn::Conv2d(convolution(outputs, outputs)))),
        b2_(register_module("b2", torch::nn::BatchNorm2d(outputs))) {}

  at::Tensor forward(const at::Tensor& x) { return b2_(c2_(b1_(c1_(x)).relu_())).relu_(); }

 private:
  torch::nn::Conv2d c1_;
  torch::nn::BatchNorm2d b1_;
  torch::nn::Conv2d c2_;
  torch::nn::BatchNorm2d b2_;
};

class Unet::Down final : public torch::nn::Module {
 public:
  Down(std::int64_t inputs, std::int64_t outputs)
      : double_(register_module("d", std::make_shared<Double>(inputs, outputs))) {}

  at::Tensor forward(const at::Tensor& x) { return double_->forward(at::max_pool2d(x, 2)); }

 private:
  std::shared_ptr<Double> double_;  // shared with the module tree
};

class Unet::Up final : public torch::nn::Module {
 public:
  Up(std::int64_t inputs, std::int64_t outputs)
      : up_(register_module("t",
                            torch::nn::ConvTranspose2d(
                                torch::nn::ConvTranspose2dOptions(inputs, outputs, 2).stride(2)))),
        double_(register_module("d", std::make_shared<Double>(2 * outputs, outputs))) {}

  at::Tensor forward(const at::Tensor& x, const at::Tensor& skip) {
    return double_->forward(at::cat({up_(x), skip}, 1));
  }

 private:
  torch::nn::ConvTranspose2d up_;
  std::shared_ptr<Double> double_;  // shared with the module tree
};

Unet::Unet(const UnetSizes& sizes)
    : sizes_(checked(sizes)),
      inc_(register_module("inc", std::make_shared<Double>(3, sizes.base))),
      down_list_(register_module("downs", torch::nn::ModuleList())),
      up_list_(register_module("ups", torch::nn::ModuleList())),
      outc_(nullptr) {
  for (std::int64_t level = 0; level < sizes.levels; ++level) {
    const std::int64_t channels = sizes.base << level;
    downs_.push_back(std::make_shared<Down>(channels, 2 * channels));
    down_list_->push_back(downs_.back());
  }
  for (std::int64_t level = sizes.levels - 1; level >= 0; --level) {
    const std::int64_t channels = sizes.base << level;
    ups_.push_back(std::make_shared<Up>(2 * channels, channels));
    up_list_->push_back(ups_.back());
  }
  outc_ = register_module(
      "outc", torch::nn::Conv2d(torch::nn::Conv2dOptions(sizes.base, sizes.classes, 1)));
}

at::Tensor Unet::loss(const Batch& batch) {
  if (batch.inputs.size() != 1 || batch.inputs[0].dim() != 4 || batch.inputs[0].size(1) != 3) {
    throw std::invalid_argument("Unet::loss: expected one input [B, 3, H, W]");
  }
  const at::Tensor& images = batch.inputs[0];
  const std::int64_t multiple = image_multiple(sizes_);
  if (images.size(2) % multiple != 0 || images.size(3) % multiple != 0) {
    throw std::invalid_argument(
        "Unet::loss: expected height and width that are multiples of " + std::to_string(multiple) +
        ", got " + std::to_string(images.size(2)) + " x " + std::to_string(images.size(3)));
  }
  return at::cross_entropy_loss(scores(images), batch.target);
}

at::Tensor Unet::scores(const at::Tensor& images) {
  at::Tensor h = images;
  std::vector<at::Tensor> skips;
  for (const plan::Segment& segment : segments()) {
    const auto run = [this, segment](const at::Tensor& input,
                                     const std::vector<at::Tensor>& skips_before) {
      return run_blocks(segment, input, skips_before);
    };
    const std::vector<at::Tensor> results =
        run_segment(segment, run, h, pop(skips, skips_taken_by(segment)));
    h = results.back();
    const bool is_skip = segment.last <= sizes_.levels;
    skips.insert(skips.end(), results.begin(), results.end() - (is_skip ? 0 : 1));
  }
  return outc_(h);
}

std::vector<at::Tensor> Unet::run_blocks(const plan::Segment& segment, const at::Tensor& h,
                                         const std::vector<at::Tensor>& skips) {
  const std::int64_t levels = sizes_.levels;
  at::Tensor x = h;
  std::vector<at::Tensor> waiting = skips;
  for (std::int64_t block = segment.first; block < segment.last; ++block) {
    if (block <= levels) {
      x = block == 0 ? inc_->forward(x) : downs_[static_cast<std::size_t>(block - 1)]->forward(x);
    } else {
      const at::Tensor skip = pop(waiting, 1)[0];
      x = ups_[static_cast<std::size_t>(block - levels - 1)]->forward(x, skip);
    }
    if (block < levels) {
      waiting.push_back(x);
    }
  }
  if (segment.last > levels) {
    waiting.push_back(x);
  }
  return waiting;
}

std::int64_t Unet::skips_taken_by(const plan::Segment& segment) const {
  const std::int64_t levels = sizes_.levels;
  const std::int64_t made =
      std::max<std::int64_t>(0, std::min(segment.last, levels) - segment.first);
  const std::int64_t consumed =
      std::max<std::int64_t>(0, segment.last - std::max(segment.first, levels + 1));
  return std::max<std::int64_t>(0, consumed - made);
}

std::string Unet::description() const {
  return "unet: base " + std::to_string(sizes_.base) + ", " + std::to_string(sizes_.levels) +
         " levels, " + std::to_string(sizes_.classes) + " classes";
}

}  // namespace reprise::zoo
