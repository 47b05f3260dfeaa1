// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/audio_encoder.h"

#include <array>
#include <stdexcept>

#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/gelu.h>
#include <torch/nn/modules/conv.h>

#include "reprise/plan/checks.h"
#include "reprise/zoo/sizes.h"

namespace reprise::zoo {
namespace {

struct Kernel {
  std::int64_t width;
  std::int64_t stride;
};
constexpr std::array<Kernel, 7> kKernels{Kernel{10, 5}, {3, 2}, {3, 2}, {3, 2},
                                         {3, 2},        {2, 2}, {2, 2}};
constexpr std::int64_t kGroups = 8;

AudioSizes checked(const AudioSizes& sizes) {
  check_positive("AudioEncoder", "layers", sizes.layers);
  check_positive("AudioEncoder", "classes", sizes.classes);
  check_positive("AudioEncoder", "channels", sizes.channels);
  plan::require_multiple("AudioEncoder", "channels", sizes.channels, "groups", kGroups);
  return sizes;
}

torch::nn::LayerNorm layer_norm(std::int64_t dim) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({dim}));
}

}  // namespace

class AudioEncoder::Convolution final : public torch::nn::Module {
 public:
  Convolution(std::int64_t inputs, std::int64_t outputs, Kernel kernel)
      : conv_(register_module(
            "c", torch::nn::Conv1d(torch::nn::Conv1dOptions(inputs, outputs, kernel.width)
                                       .stride(kernel.stride)
                                       .bias(false)))),
        norm_(register_module(
            "n", torch::nn::GroupNorm(torch::nn::GroupNormOptions(kGroups, outputs)))) {}

  at::Tensor forward(const at::Tensor& x) { return at::gelu(norm_(conv_(x))); }

 private:
  torch::nn::Conv1d conv_;
  torch::nn::GroupNorm norm_;
};

class AudioEncoder::Projection final : public torch::nn::Module {
 public:
  Projection(std::int64_t channels, std::int64_t dim)
      : ln_(register_module("ln", layer_norm(channels))),
        linear_(register_module("l", torch::nn::Linear(channels, dim))) {}

  at::Tensor forward(const at::Tensor& x) { return linear_(ln_(x.transpose(1, 2))); }

 private:
  torch::nn::LayerNorm ln_;
  torch::nn::Linear linear_;
};

AudioEncoder::AudioEncoder(const AudioSizes& sizes)
    : sizes_(checked(sizes)),
      unit_list_(register_module("units", torch::nn::ModuleList())),
      ln_(nullptr),
      fc_(nullptr) {
  std::int64_t inputs = 1;
  for (const Kernel& kernel : kKernels) {
    convolutions_.push_back(std::make_shared<Convolution>(inputs, sizes.channels, kernel));
    unit_list_->push_back(convolutions_.back());
    inputs = sizes.channels;
  }
  projection_ = std::make_shared<Projection>(sizes.channels, sizes.dim);
  unit_list_->push_back(projection_);
  for (std::int64_t i = 0; i < sizes.layers; ++i) {
    layers_.emplace_back(TransformerBlockSizes{.dim = sizes.dim,
                                               .heads = sizes.heads,
                                               .dropout = sizes.dropout,
                                               .attention = AttentionKind::kFlash,
                                               .is_causal = false});
    unit_list_->push_back(layers_.back());
  }
  ln_ = register_module("ln", layer_norm(sizes.dim));
  fc_ = register_module("fc", torch::nn::Linear(sizes.dim, sizes.classes));
}

at::Tensor AudioEncoder::loss(const Batch& batch) {
  if (batch.inputs.size() != 1 || batch.inputs[0].dim() != 3 || batch.inputs[0].size(1) != 1) {
    throw std::invalid_argument("AudioEncoder::loss: expected one input [B, 1, samples]");
  }
  const std::int64_t samples = batch.inputs[0].size(2);
  if (samples < kAudioWindow) {
    throw std::invalid_argument("AudioEncoder::loss: expected at least " +
                                std::to_string(kAudioWindow) + " samples, got " +
                                std::to_string(samples));
  }
  const at::Tensor h = run_segments(
      batch.inputs[0],
      [this](std::int64_t block, const at::Tensor& input) { return run_block(block, input); });
  return at::cross_entropy_loss(fc_(ln_(h)).flatten(0, 1),
                                batch.target.slice(1, 0, h.size(1)).flatten());
}

at::Tensor AudioEncoder::run_block(std::int64_t block, const at::Tensor& h) {
  const auto index = static_cast<std::size_t>(block);
  if (index < kKernels.size()) {
    return convolutions_[index]->forward(h);
  }
  return index == kKernels.size() ? projection_->forward(h) : run_transformer_block(block, h);
}

at::Tensor AudioEncoder::run_transformer_block(std::int64_t block, const at::Tensor& h) {
  TransformerBlockImpl& layer = *layers_[static_cast<std::size_t>(block) - kKernels.size() - 1];
  const at::Tensor x =
      h + run_part(
              RegionScope::kAttention, block,
              [&layer](const at::Tensor& input) { return layer.attention(input, /*mask=*/{}); }, h);
  return x + run_part(
                 RegionScope::kFeedForward, block,
                 [&layer](const at::Tensor& input) { return layer.feed_forward(input); }, x);
}

std::int64_t AudioEncoder::blocks() const {
  return static_cast<std::int64_t>(kKernels.size()) + 1 + sizes_.layers;
}

std::string AudioEncoder::description() const {
  return "audio: channels " + std::to_string(sizes_.channels) + ", " +
         std::to_string(sizes_.layers) + " layers, dim " + std::to_string(sizes_.dim) + ", " +
         std::to_string(sizes_.heads) + " heads, " + std::to_string(sizes_.classes) +
         " classes, dropout " + short_text(sizes_.dropout);
}

}  // namespace reprise::zoo
