// SPDX-License-Identifier: Apache-2.0
// A pre-norm transformer block: self-attention, then a feed-forward of four times the width.
#pragma once

#include <cstdint>

#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

namespace reprise::zoo {

enum class AttentionKind {
  kWritten,  // matmul, scale, mask, softmax, dropout, matmul: every step's result is saved
  kSdpa,     // scaled_dot_product_attention with dropout
  kFlash,    // the same without dropout of the scores, so that a fused kernel can take it
};

// "written", "sdpa", "flash".
const char* name_of(AttentionKind kind);

struct TransformerBlockSizes {
  std::int64_t dim = 0;
  std::int64_t heads = 0;
  double dropout = 0;
  AttentionKind attention = AttentionKind::kWritten;
  bool is_causal = true;
};

// x + attention(x), then x + feed_forward(x). Each part begins with its norm and ends with dropout.
class TransformerBlockImpl : public torch::nn::Module {
 public:
  // Throws std::invalid_argument unless heads divide dim and 0 <= dropout < 1.
  explicit TransformerBlockImpl(const TransformerBlockSizes& sizes);

  // x: [B, T, C]. `mask`: [T, T] of bool, true where a position may not look; read by kWritten
  // only, undefined for no mask.
  at::Tensor attention(const at::Tensor& x, const at::Tensor& mask);
  at::Tensor feed_forward(const at::Tensor& x);

 private:
  at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                    const at::Tensor& mask) const;

  TransformerBlockSizes sizes_;
  torch::nn::LayerNorm ln1_, ln2_;
  torch::nn::Linear qkv_, proj_, fc_, out_;
};
TORCH_MODULE(TransformerBlock);

}  // namespace reprise::zoo
