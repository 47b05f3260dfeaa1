// SPDX-License-Identifier: Apache-2.0
// A language model over bytes with an LSTM cell written out by hand, unrolled over time.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

#include "reprise/zoo/byte_model.h"

namespace reprise::zoo {

struct LstmSizes {
  std::int64_t embedding = 64;
  std::int64_t hidden = 256;
  std::int64_t context = 128;  // time steps of a training sequence
};

// A block is a time step: regions lie along time. A segment takes its tokens and the hidden and
// cell state before its first step; of a region only its results stay, the hidden state of every
// step (which the head needs) and the last cell state. The gates and activations are recomputed.
class LstmLm final : public ByteModel {
 public:
  // Throws std::invalid_argument if a size is not positive.
  explicit LstmLm(const LstmSizes& sizes);

  // REQUIRES: sequences of exactly `context` tokens, or the segments would not fit.
  at::Tensor loss(const Batch& batch) override;
  at::Tensor next_scores(const at::Tensor& tokens) override;

  std::int64_t blocks() const override { return sizes_.context; }
  std::string description() const override;

 private:
  // The hidden state after each step, and the last cell state. tokens: [B, steps].
  using Unrolled = std::tuple<std::vector<at::Tensor>, at::Tensor>;
  Unrolled unroll(const at::Tensor& tokens, at::Tensor hidden, at::Tensor cell);
  at::Tensor zero_state(std::int64_t batch_size) const;

  LstmSizes sizes_;
  torch::nn::Embedding embedding_;
  torch::nn::Linear wx_, wh_, head_;
};

}  // namespace reprise::zoo
