// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/lstm_lm.h"

#include <stdexcept>

#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>

#include "reprise/zoo/sizes.h"

namespace reprise::zoo {
namespace {

constexpr std::int64_t kVocabulary = 256;

LstmSizes checked(const LstmSizes& sizes) {
  check_positive("LstmLm", "embedding", sizes.embedding);
  check_positive("LstmLm", "hidden", sizes.hidden);
  check_positive("LstmLm", "context", sizes.context);
  return sizes;
}

torch::nn::LinearOptions linear(std::int64_t inputs, std::int64_t outputs, bool bias) {
  return torch::nn::LinearOptions(inputs, outputs).bias(bias);
}

}  // namespace

LstmLm::LstmLm(const LstmSizes& sizes)
    : sizes_(checked(sizes)),
      embedding_(register_module("embedding", torch::nn::Embedding(kVocabulary, sizes.embedding))),
      wx_(register_module("wx",
                          torch::nn::Linear(linear(sizes.embedding, 4 * sizes.hidden, true)))),
      wh_(register_module("wh", torch::nn::Linear(linear(sizes.hidden, 4 * sizes.hidden, false)))),
      head_(register_module("head", torch::nn::Linear(linear(sizes.hidden, kVocabulary, true)))) {}

at::Tensor LstmLm::loss(const Batch& batch) {
  check_token_batch("LstmLm::loss", batch, sizes_.context);
  const at::Tensor& tokens = batch.inputs[0];
  if (tokens.size(1) != sizes_.context) {
    throw std::invalid_argument("LstmLm::loss: expected " + std::to_string(sizes_.context) +
                                " tokens, got " + std::to_string(tokens.size(1)));
  }
  std::vector<at::Tensor> outputs;
  at::Tensor hidden = zero_state(tokens.size(0));
  at::Tensor cell = hidden;
  for (const plan::Segment& segment : segments()) {
    auto [states, last_cell] = run_segment(
        segment,
        [this](const at::Tensor& ids, const at::Tensor& hidden_before,
               const at::Tensor& cell_before) { return unroll(ids, hidden_before, cell_before); },
        tokens.slice(1, segment.first, segment.last), hidden, cell);
    outputs.insert(outputs.end(), states.begin(), states.end());
    hidden = outputs.back();
    cell = last_cell;
  }
  const at::Tensor scores = head_(at::stack(outputs, 1));
  return at::cross_entropy_loss(scores.flatten(0, 1), batch.target.flatten());
}

LstmLm::Unrolled LstmLm::unroll(const at::Tensor& tokens, at::Tensor hidden, at::Tensor cell) {
  std::vector<at::Tensor> states;
  for (std::int64_t t = 0; t < tokens.size(1); ++t) {
    // Embedded step by step: the sums of gradients then do not depend on where segments end.
    const at::Tensor x = embedding_(tokens.select(1, t));
    const std::vector<at::Tensor> gates = (wx_(x) + wh_(hidden)).chunk(4, 1);
    const at::Tensor& input = gates[0];
    const at::Tensor& forget = gates[1];
    const at::Tensor& update = gates[2];
    const at::Tensor& output = gates[3];
    cell = at::sigmoid(forget) * cell + at::sigmoid(input) * at::tanh(update);
    hidden = at::sigmoid(output) * at::tanh(cell);
    states.push_back(hidden);
  }
  return {std::move(states), std::move(cell)};
}

at::Tensor LstmLm::next_scores(const at::Tensor& tokens) {
  const at::Tensor zero = zero_state(1);
  const auto [states, cell] = unroll(tokens.unsqueeze(0), zero, zero);
  return head_(states.back())[0];
}

at::Tensor LstmLm::zero_state(std::int64_t batch_size) const {
  return at::zeros({batch_size, sizes_.hidden}, wx_->weight.options().requires_grad(false));
}

std::string LstmLm::description() const {
  return "lstm: embedding " + std::to_string(sizes_.embedding) + ", hidden " +
         std::to_string(sizes_.hidden) + ", context " + std::to_string(sizes_.context);
}

}  // namespace reprise::zoo
