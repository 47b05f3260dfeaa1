// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/gpt.h"

#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/ones.h>

#include "reprise/zoo/sizes.h"

namespace reprise::zoo {
namespace {

constexpr std::int64_t kVocabulary = 256;

GptSizes checked(const GptSizes& sizes) {
  check_positive("Gpt", "layers", sizes.layers);
  check_positive("Gpt", "context", sizes.context);
  return sizes;
}

}  // namespace

Gpt::Gpt(const GptSizes& sizes)
    : sizes_(checked(sizes)),
      tok_(register_module("tok", torch::nn::Embedding(kVocabulary, sizes.dim))),
      pos_(register_module("pos", torch::nn::Embedding(sizes.context, sizes.dim))),
      block_list_(register_module("blocks", torch::nn::ModuleList())),
      lnf_(nullptr),
      head_(nullptr),
      causal_(register_buffer(
          "causal", at::ones({sizes.context, sizes.context}, at::kBool).triu(/*diagonal=*/1))) {
  for (std::int64_t i = 0; i < sizes.layers; ++i) {
    blocks_.emplace_back(TransformerBlockSizes{.dim = sizes.dim,
                                               .heads = sizes.heads,
                                               .dropout = sizes.dropout,
                                               .attention = sizes.attention,
                                               .is_causal = true});
    block_list_->push_back(blocks_.back());
  }
  lnf_ = register_module("lnf", torch::nn::LayerNorm(torch::nn::LayerNormOptions({sizes.dim})));
  head_ = register_module(
      "head", torch::nn::Linear(torch::nn::LinearOptions(sizes.dim, kVocabulary).bias(false)));
}

at::Tensor Gpt::loss(const Batch& batch) {
  check_token_batch("Gpt::loss", batch, sizes_.context);
  return at::cross_entropy_loss(scores(batch.inputs[0]).flatten(0, 1), batch.target.flatten());
}

at::Tensor Gpt::scores(const at::Tensor& tokens) {
  const at::Tensor x = tok_(tokens) + pos_->weight.slice(0, 0, tokens.size(1));
  const at::Tensor h = run_segments(
      x, [this](std::int64_t block, const at::Tensor& input) { return run_block(block, input); });
  return head_(lnf_(h));
}

at::Tensor Gpt::run_block(std::int64_t block, const at::Tensor& h) {
  TransformerBlockImpl& layer = *blocks_[static_cast<std::size_t>(block)];
  const std::int64_t time = h.size(1);
  const at::Tensor x =
      h + run_part(
              RegionScope::kAttention, block,
              [this, &layer, time](const at::Tensor& input) {
                return layer.attention(input, causal_.slice(0, 0, time).slice(1, 0, time));
              },
              h);
  return x + run_part(
                 RegionScope::kFeedForward, block,
                 [&layer](const at::Tensor& input) { return layer.feed_forward(input); }, x);
}

at::Tensor Gpt::next_scores(const at::Tensor& tokens) {
  const std::int64_t time = std::min(tokens.size(0), sizes_.context);
  return scores(tokens.slice(0, tokens.size(0) - time).unsqueeze(0))[0][time - 1];
}

std::string Gpt::description() const {
  return "gpt: " + std::to_string(sizes_.layers) + " layers, dim " + std::to_string(sizes_.dim) +
         ", " + std::to_string(sizes_.heads) + " heads, context " + std::to_string(sizes_.context) +
         ", dropout " + short_text(sizes_.dropout) + ", attention " + name_of(sizes_.attention);
}

}  // namespace reprise::zoo
