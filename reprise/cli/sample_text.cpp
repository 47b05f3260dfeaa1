// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/sample_text.h"

#include <algorithm>

#include "reprise/cli/printable_text.h"
#include "reprise/zoo/byte_model.h"

namespace reprise::cli {
namespace {

constexpr std::int64_t kPromptBytes = 32;
constexpr double kTemperature = 0.8;  // below 1: fewer accidents in a short sample

// The beginning of the first sequence of a batch of token ids.
std::string prompt_of(const zoo::Batch& batch) {
  const at::Tensor tokens = batch.inputs.front()[0];
  std::string prompt;
  for (std::int64_t i = 0; i < std::min(kPromptBytes, tokens.size(0)); ++i) {
    prompt += static_cast<char>(tokens[i].item<std::int64_t>());
  }
  return prompt;
}

}  // namespace

std::string sample_text(zoo::Model& model, const TrainSetup& setup, std::int64_t bytes) {
  auto* const language_model = dynamic_cast<zoo::ByteModel*>(&model);
  if (language_model == nullptr || bytes == 0 || setup.data->is_synthetic()) {
    return "";
  }
  const std::string prompt = prompt_of(setup.data->batch(zoo::Split::kValidation, 0));
  const std::string text = zoo::generate(*language_model, prompt, bytes, kTemperature, setup.seed);
  return "\nsample, after the held-out text '" + printable_text(prompt) + "':\n" +
         printable_text(text) + "\n";
}

}  // namespace reprise::cli
