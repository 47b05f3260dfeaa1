// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/transformer_block.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <ATen/ops/dropout.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>

#include "reprise/plan/checks.h"
#include "reprise/zoo/sizes.h"

namespace reprise::zoo {
namespace {

TransformerBlockSizes checked(const TransformerBlockSizes& sizes) {
  check_positive("TransformerBlock", "dim", sizes.dim);
  check_positive("TransformerBlock", "heads", sizes.heads);
  plan::require_multiple_of_heads("TransformerBlock", "dim", sizes.dim, sizes.heads);
  if (!(sizes.dropout >= 0 && sizes.dropout < 1)) {
    throw std::invalid_argument("TransformerBlock: dropout must be in [0, 1), got " +
                                std::to_string(sizes.dropout));
  }
  return sizes;
}

torch::nn::LayerNorm layer_norm(std::int64_t dim) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({dim}));
}

// The frontend's Linear adds its bias in an op of its own; this is the fused one that Python's
// calls.
at::Tensor fused_linear(const torch::nn::Linear& layer, const at::Tensor& x) {
  return at::linear(x, layer->weight, layer->bias);
}

}  // namespace

const char* name_of(AttentionKind kind) {
  switch (kind) {
    case AttentionKind::kWritten:
      return "written";
    case AttentionKind::kSdpa:
      return "sdpa";
    case AttentionKind::kFlash:
      return "flash";
  }
  return "unknown";
}

TransformerBlockImpl::TransformerBlockImpl(const TransformerBlockSizes& sizes)
    : sizes_(checked(sizes)),
      ln1_(register_module("ln1", layer_norm(sizes.dim))),
      ln2_(register_module("ln2", layer_norm(sizes.dim))),
      qkv_(register_module("qkv", torch::nn::Linear(sizes.dim, 3 * sizes.dim))),
      proj_(register_module("proj", torch::nn::Linear(sizes.dim, sizes.dim))),
      fc_(register_module("fc", torch::nn::Linear(sizes.dim, 4 * sizes.dim))),
      out_(register_module("out", torch::nn::Linear(4 * sizes.dim, sizes.dim))) {}

at::Tensor TransformerBlockImpl::attention(const at::Tensor& x, const at::Tensor& mask) {
  const std::int64_t batch = x.size(0);
  const std::int64_t time = x.size(1);
  const std::int64_t dim = sizes_.dim;
  const std::int64_t heads = sizes_.heads;
  const auto split_heads = [&](const at::Tensor& part) {
    return part.view({batch, time, heads, dim / heads}).transpose(1, 2);
  };
  const std::vector<at::Tensor> qkv = fused_linear(qkv_, ln1_(x)).split(dim, 2);
  const at::Tensor y = attend(split_heads(qkv[0]), split_heads(qkv[1]), split_heads(qkv[2]), mask);
  return at::dropout(fused_linear(proj_, y.transpose(1, 2).reshape({batch, time, dim})),
                     sizes_.dropout, is_training());
}

at::Tensor TransformerBlockImpl::feed_forward(const at::Tensor& x) {
  return at::dropout(fused_linear(out_, at::gelu(fused_linear(fc_, ln2_(x)))), sizes_.dropout,
                     is_training());
}

at::Tensor TransformerBlockImpl::attend(const at::Tensor& q, const at::Tensor& k,
                                        const at::Tensor& v, const at::Tensor& mask) const {
  if (sizes_.attention != AttentionKind::kWritten) {
    const double dropout =
        sizes_.attention == AttentionKind::kSdpa && is_training() ? sizes_.dropout : 0.0;
    return at::scaled_dot_product_attention(q, k, v, /*attn_mask=*/{}, dropout, sizes_.is_causal);
  }
  const std::int64_t head_dim = sizes_.dim / sizes_.heads;
  const double scale = 1.0 / std::sqrt(static_cast<double>(head_dim));
  at::Tensor scores = q.matmul(k.transpose(-2, -1)) * scale;
  if (mask.defined()) {
    scores = scores.masked_fill(mask, -std::numeric_limits<double>::infinity());
  }
  // One name for each step's result: what autograd does not save goes as soon as the next is there.
  scores = at::softmax(scores, -1);
  scores = at::dropout(scores, sizes_.dropout, is_training());
  return scores.matmul(v);
}

}  // namespace reprise::zoo
