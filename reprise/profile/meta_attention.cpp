// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/transformers/sdp_utils_cpp.h>
#include <ATen/ops/_fused_sdp_choice.h>
#include <ATen/ops/_safe_softmax.h>
#include <ATen/ops/_scaled_dot_product_attention_math.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/where.h>

#include "reprise/profile/meta_kernels.h"
#include "reprise/tape/frame.h"

namespace reprise::profile {
namespace {

using MaybeTensor = std::optional<at::Tensor>;

// Of queries and keys that the kernel takes at a time.
struct Tile {
  std::int64_t queries;
  std::int64_t keys;
};

Tile tile_of(std::int64_t queries, std::int64_t keys) {
  constexpr std::int64_t most_keys = 512;
  const std::int64_t most_queries = queries >= 768 ? 256 : queries >= 192 ? 64 : 32;
  return {std::min(queries, most_queries), std::min(keys, most_keys)};
}

std::tuple<at::Tensor, at::Tensor> flash_attention(const at::Tensor& query, const at::Tensor& key,
                                                   const at::Tensor& /*value*/,
                                                   double /*dropout_p*/, bool /*is_causal*/,
                                                   const MaybeTensor& /*attn_mask*/,
                                                   std::optional<double> /*scale*/) {
  const std::int64_t batch = query.size(0);
  const std::int64_t heads = query.size(1);
  const std::int64_t length = query.size(2);
  const std::int64_t width = query.size(3);
  const at::Tensor output = at::empty({batch, length, heads, width}, query.options());
  const at::Tensor logsumexp = at::empty({batch, length, heads}, query.options());
  const Tile tile = tile_of(length, key.size(2));
  // Scores of a tile, their maxima and sums, and the results so far.
  const at::Tensor of_threads =
      at::empty({at::get_num_threads(), tile.queries * (tile.keys + 2 + width)}, query.options());
  return {output.transpose(1, 2), logsumexp.transpose(1, 2)};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> flash_attention_backward(
    const at::Tensor& grad_out, const at::Tensor& query, const at::Tensor& key,
    const at::Tensor& value, const at::Tensor& /*out*/, const at::Tensor& /*logsumexp*/,
    double /*dropout_p*/, bool /*is_causal*/, const MaybeTensor& /*attn_mask*/,
    std::optional<double> /*scale*/) {
  if (!grad_out.defined()) {
    return {};
  }
  const auto like = [](const at::Tensor& tensor) {
    return at::empty(tensor.transpose(1, 2).sizes(), tensor.options()).transpose(1, 2);
  };
  std::tuple<at::Tensor, at::Tensor, at::Tensor> gradients = {like(query), like(key), like(value)};
  const Tile tile = tile_of(query.size(2), key.size(2));
  // Scores of a tile, their gradients, and sums.
  const at::Tensor of_threads =
      at::empty({at::get_num_threads(), tile.queries * (2 * tile.keys + 1)}, query.options());
  return gradients;
}

// A tensor of the CPU of that shape, without bytes: only to ask what would be done with it.
at::Tensor cpu_shape_of(const at::Tensor& tensor) {
  at::Tensor shape = at::from_blob(nullptr, tensor.sizes(), tensor.strides(),
                                   tensor.options().device(at::kCPU).requires_grad(false));
  return shape.requires_grad_(tensor.requires_grad());
}

// A mask of what may be looked at, as one to be added.
MaybeTensor added_mask(const MaybeTensor& mask, const at::Tensor& query) {
  if (!mask || mask->scalar_type() != at::kBool) {
    return mask;
  }
  return at::where(*mask, 0.0,
                   at::scalar_tensor(-std::numeric_limits<double>::infinity(),
                                     query.options().requires_grad(false)));
}

// True where the query may look at the key.
at::Tensor causal_mask(const at::Tensor& query, const at::Tensor& key) {
  return at::ones({query.size(-2), key.size(-2)},
                  query.options().dtype(at::kBool).requires_grad(false))
      .tril();
}

// Attention op by op, as the CPU has it: libtorch's own adds the mask to a copy of the scores where
// tensors are on the meta device.
at::Tensor attention_in_parts(const at::Tensor& query, const at::Tensor& key,
                              const at::Tensor& value, const MaybeTensor& attn_mask,
                              double dropout_p, bool is_causal, double scale) {
  const double factor = std::sqrt(scale);
  const at::Tensor scaled = query.mul(factor);
  const MaybeTensor mask =
      added_mask(is_causal ? MaybeTensor(causal_mask(query, key)) : attn_mask, query);
  at::Tensor scores = at::matmul(scaled, key.transpose(-2, -1).mul(factor));
  if (mask) {
    scores.add_(*mask);
  }
  scores = at::_safe_softmax(scores, -1);
  if (dropout_p > 0) {
    scores = at::dropout(scores, dropout_p, /*train=*/true);
  }
  return at::matmul(scores, value);
}

// One of sdp::SDPBackend.
std::int64_t choice_of_cpu(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                           const MaybeTensor& attn_mask, double dropout_p, bool is_causal,
                           std::optional<double> scale, bool enable_gqa) {
  const tape::UnseenOps unseen;
  const MaybeTensor mask = attn_mask ? MaybeTensor(cpu_shape_of(*attn_mask)) : std::nullopt;
  return at::_fused_sdp_choice(cpu_shape_of(query), cpu_shape_of(key), cpu_shape_of(value), mask,
                               dropout_p, is_causal, scale, enable_gqa);
}

at::Tensor scaled_dot_product_attention(const at::Tensor& query, const at::Tensor& key,
                                        const at::Tensor& value, const MaybeTensor& attn_mask,
                                        double dropout_p, bool is_causal,
                                        std::optional<double> scale, bool enable_gqa) {
  const std::int64_t choice =
      choice_of_cpu(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa);
  if (choice == static_cast<std::int64_t>(sdp::SDPBackend::flash_attention)) {
    return std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu(
        query, key, value, dropout_p, is_causal, added_mask(attn_mask, query), scale));
  }
  const double factor = scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
  if (query.scalar_type() == at::kFloat && !enable_gqa && factor >= 0) {
    return attention_in_parts(query, key, value, attn_mask, dropout_p, is_causal, factor);
  }
  return std::get<0>(at::_scaled_dot_product_attention_math(
      query, key, value, added_mask(attn_mask, query), dropout_p, is_causal, std::nullopt, scale,
      enable_gqa));
}

}  // namespace

void add_attention_kernels(const MetaKernelAdder& kernels) {
  kernels.add("_scaled_dot_product_flash_attention_for_cpu", &flash_attention);
  kernels.add("_scaled_dot_product_flash_attention_for_cpu_backward", &flash_attention_backward);
}

void add_attention_choice(const MetaKernelAdder& autograd_kernels) {
  autograd_kernels.add("scaled_dot_product_attention", &scaled_dot_product_attention);
}

}  // namespace reprise::profile
