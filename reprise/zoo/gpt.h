// SPDX-License-Identifier: Apache-2.0
// A decoder-only GPT over bytes.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include "reprise/zoo/byte_model.h"
#include "reprise/zoo/transformer_block.h"

namespace reprise::zoo {

struct GptSizes {
  std::int64_t layers = 6;
  std::int64_t dim = 192;
  std::int64_t heads = 6;
  std::int64_t context = 128;  // most tokens of a sequence
  double dropout = 0.1;
  AttentionKind attention = AttentionKind::kWritten;
};

// Token and position embedding, pre-norm blocks, a norm, and a head without bias; the loss is the
// cross entropy of the next byte. A block is a transformer block; embedding and head are in none.
class Gpt final : public ByteModel {
 public:
  // Throws std::invalid_argument if a size is not positive (see TransformerBlock for heads,
  // dropout).
  explicit Gpt(const GptSizes& sizes);

  at::Tensor loss(const Batch& batch) override;
  at::Tensor scores(const at::Tensor& tokens);  // [B, T] -> [B, T, 256]
  at::Tensor next_scores(const at::Tensor& tokens) override;

  std::int64_t blocks() const override { return sizes_.layers; }
  std::string description() const override;

 private:
  std::int64_t attention_blocks() const override { return sizes_.layers; }
  at::Tensor run_block(std::int64_t block, const at::Tensor& h);

  GptSizes sizes_;
  torch::nn::Embedding tok_, pos_;
  torch::nn::ModuleList block_list_;
  std::vector<TransformerBlock> blocks_;  // the same modules as in block_list_, with their type
  torch::nn::LayerNorm lnf_;
  torch::nn::Linear head_;
  at::Tensor causal_;  // [context, context], true above the diagonal; shared by all blocks
};

}  // namespace reprise::zoo
