// SPDX-License-Identifier: Apache-2.0
// An audio encoder: convolutions over raw samples, whose first activations are by far the largest,
// then transformer blocks over the frames that remain.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include "reprise/zoo/model.h"
#include "reprise/zoo/transformer_block.h"

namespace reprise::zoo {

struct AudioSizes {
  std::int64_t channels = 64;  // of the convolutions; a multiple of 8
  std::int64_t layers = 4;     // transformer blocks
  std::int64_t dim = 128;
  std::int64_t heads = 4;
  std::int64_t classes = 32;  // per frame
  double dropout = 0.1;
};

// Samples per frame: the product of the convolutions' strides.
inline constexpr std::int64_t kAudioHop = 320;
// Fewest samples that give one frame.
inline constexpr std::int64_t kAudioWindow = 400;

// Batch: inputs[0] samples [B, 1, N]; target classes [B, F] with F >= the number of frames, those
// beyond are not looked at. The loss is the cross entropy per frame.
// Blocks: 7 convolutions, the projection to the transformer's width, then the transformer blocks.
class AudioEncoder final : public Model {
 public:
  // Throws std::invalid_argument if a size is out of range.
  explicit AudioEncoder(const AudioSizes& sizes);

  at::Tensor loss(const Batch& batch) override;
  std::int64_t blocks() const override;
  std::optional<std::int64_t> sequence_length(const Batch& batch) const override {
    return batch.inputs.at(0).size(2);
  }
  std::string description() const override;

 private:
  std::int64_t attention_blocks() const override { return sizes_.layers; }
  at::Tensor run_block(std::int64_t block, const at::Tensor& h);
  at::Tensor run_transformer_block(std::int64_t block, const at::Tensor& h);

  class Convolution;
  class Projection;

  AudioSizes sizes_;
  torch::nn::ModuleList unit_list_;
  std::vector<std::shared_ptr<Convolution>> convolutions_;  // also in unit_list_, as all blocks
  std::shared_ptr<Projection> projection_;                  // also in unit_list_
  std::vector<TransformerBlock> layers_;
  torch::nn::LayerNorm ln_;
  torch::nn::Linear fc_;
};

}  // namespace reprise::zoo
