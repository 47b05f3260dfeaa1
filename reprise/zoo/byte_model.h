// SPDX-License-Identifier: Apache-2.0
// Language models over bytes, and text sampled from them.
#pragma once

#include <cstdint>
#include <string>

#include "reprise/zoo/model.h"

namespace reprise::zoo {

// Batch: inputs[0] token ids [B, T], target the ids that follow [B, T]; both int64 in [0, 256).
class ByteModel : public Model {
 public:
  // Scores [256] of the byte that follows `tokens` [T], T >= 1. A model with a limited context
  // looks at the last of them only.
  virtual at::Tensor next_scores(const at::Tensor& tokens) = 0;

  std::optional<std::int64_t> sequence_length(const Batch& batch) const override {
    return batch.inputs.at(0).size(1);
  }
};

// Continues `prompt` by `count` bytes, in evaluation mode and without gradients; returns the new
// bytes. Temperature 0 takes the most likely byte, 1 samples from the model's distribution. The
// result is a function of model, prompt, temperature and seed; the default generators are
// untouched. Throws std::invalid_argument if the prompt is empty, count negative or the temperature
// negative.
std::string generate(ByteModel& model, const std::string& prompt, std::int64_t count,
                     double temperature, std::uint64_t seed);

// Checks the shapes and types of a ByteModel's batch; throws std::invalid_argument naming `place`.
void check_token_batch(const char* place, const Batch& batch, std::int64_t max_context);

}  // namespace reprise::zoo
