// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/byte_model.h"

#include <stdexcept>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/multinomial.h>
#include <ATen/ops/softmax.h>
#include <c10/core/GradMode.h>

namespace reprise::zoo {
namespace {

// Puts a module into evaluation mode, and back into what it was.
class EvaluationScope {
 public:
  explicit EvaluationScope(torch::nn::Module& module)
      : module_(module), was_training_(module.is_training()) {
    module_.eval();
  }
  ~EvaluationScope() { module_.train(was_training_); }
  EvaluationScope(const EvaluationScope&) = delete;
  EvaluationScope& operator=(const EvaluationScope&) = delete;

 private:
  torch::nn::Module& module_;
  bool was_training_;
};

void check_arguments(const std::string& prompt, std::int64_t count, double temperature) {
  if (prompt.empty()) {
    throw std::invalid_argument("generate: expected a prompt of at least one byte, got none");
  }
  if (count < 0) {
    throw std::invalid_argument("generate: count must not be negative, got " +
                                std::to_string(count));
  }
  if (!(temperature >= 0)) {
    throw std::invalid_argument("generate: temperature must not be negative, got " +
                                std::to_string(temperature));
  }
}

}  // namespace

std::string generate(ByteModel& model, const std::string& prompt, std::int64_t count,
                     double temperature, std::uint64_t seed) {
  check_arguments(prompt, count, temperature);
  const at::NoGradGuard without_gradients;
  const EvaluationScope evaluation(model);
  const at::Device device = model.parameters().front().device();
  const at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(seed);

  const auto length = static_cast<std::int64_t>(prompt.size());
  const at::Tensor text = at::empty({length + count}, at::kLong);
  auto* const bytes = text.mutable_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < length; ++i) {
    bytes[i] = static_cast<unsigned char>(prompt[static_cast<std::size_t>(i)]);
  }
  std::string result;
  for (std::int64_t i = length; i < length + count; ++i) {
    const at::Tensor scores =
        model.next_scores(text.slice(0, 0, i).to(device)).to(at::kCPU, at::kFloat);
    bytes[i] = temperature == 0 ? scores.argmax().item<std::int64_t>()
                                : at::multinomial(at::softmax(scores / temperature, -1), 1,
                                                  /*replacement=*/false, generator)
                                      .item<std::int64_t>();
    result.push_back(static_cast<char>(bytes[i]));
  }
  return result;
}

void check_token_batch(const char* place, const Batch& batch, std::int64_t max_context) {
  const auto fail = [place](const std::string& expected, const std::string& got) {
    throw std::invalid_argument(std::string(place) + ": expected " + expected + ", got " + got);
  };
  if (batch.inputs.size() != 1) {
    fail("one input", std::to_string(batch.inputs.size()));
  }
  const at::Tensor& tokens = batch.inputs[0];
  if (!tokens.defined() || tokens.dim() != 2 || tokens.scalar_type() != at::kLong) {
    fail("int64 token ids [B, T]", tokens.toString() + " of other shape");
  }
  if (tokens.size(1) < 1 || tokens.size(1) > max_context) {
    fail("1 to " + std::to_string(max_context) + " tokens", std::to_string(tokens.size(1)));
  }
  if (!batch.target.defined() || batch.target.sizes() != tokens.sizes()) {
    fail("a target of the tokens' shape", "another");
  }
}

}  // namespace reprise::zoo
