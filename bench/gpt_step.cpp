// SPDX-License-Identifier: Apache-2.0
// Our side of the GPT comparison: 12 layers, dim 384, 6 heads, T 256, B 8, 256 tokens, attention
// written out, dropout 0.1. bench/vs_pytorch.py drives it; bench/peer/gpt_step.py is its mirror.
//
//   model FILE              writes parameters and batch, for the other side to load
//   step [block] [rerun] [eval]
//                           one step: a region per block, or plain; rerun: regions do not replay;
//                           eval: dropout off
//   gradients FILE          writes the gradients of the last step
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <torch/torch.h>
#include <nlohmann/json.hpp>

#include "bench/step.h"
#include "reprise/memory.h"
#include "reprise/plan/segments.h"
#include "reprise/tape/region_options.h"
#include "reprise/zoo/gpt.h"

namespace reprise::bench {
namespace {

constexpr std::int64_t kLayers = 12, kBatch = 8, kTokens = 256, kVocabulary = 256;
constexpr std::uint64_t kSeed = 1234;

using NamedTensors = c10::Dict<std::string, at::Tensor>;

// A file that torch.load reads.
void write(const std::string& path, const NamedTensors& tensors) {
  const std::vector<char> bytes = torch::pickle_save(tensors);
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file) {
    throw std::runtime_error("gpt_step: cannot write " + path);
  }
}

class GptSteps {
 public:
  GptSteps()
      : model_({.layers = kLayers, .dim = 384, .heads = 6, .context = kTokens, .dropout = 0.1}),
        batch_{.inputs = {torch::randint(kVocabulary, {kBatch, kTokens}, torch::kLong)},
               .target = torch::randint(kVocabulary, {kBatch, kTokens}, torch::kLong)} {
    // Gradients stay, as in training without set_to_none: a step's peak is then its activations'.
    for (const at::Tensor& parameter : model_.parameters()) {
      parameter.mutable_grad() = torch::zeros_like(parameter);
    }
  }

  nlohmann::json answer(const std::vector<std::string>& words) {
    if (has_word(words, "step")) {
      tape::set_default_recompute(has_word(words, "rerun") ? tape::Recompute::kRerun
                                                           : tape::Recompute::kReplay);
      return to_json(step(has_word(words, "block"), has_word(words, "eval")));
    }
    if (words.size() == 2 && words[0] == "model") {
      write(words[1], model_and_batch());
      return {{"parameters", model_.parameters().size()}};
    }
    if (words.size() == 2 && words[0] == "gradients") {
      write(words[1], gradients());
      return nlohmann::json::object();
    }
    throw std::invalid_argument("gpt_step: expected model, step or gradients, got " +
                                (words.empty() ? "nothing" : words[0]));
  }

 private:
  Step step(bool has_regions, bool is_evaluation) {
    model_.train(!is_evaluation);
    zoo::RegionPlacement placement;
    placement.segments = has_regions ? plan::every_k(kLayers, 1, plan::LastSegment::kRegion)
                                     : plan::all_plain(kLayers);
    model_.place_regions(std::move(placement));
    for (const at::Tensor& parameter : model_.parameters()) {
      parameter.mutable_grad().zero_();
    }
    torch::manual_seed(kSeed);
    return measure_step([this] { return model_.loss(batch_); });
  }

  NamedTensors model_and_batch() {
    NamedTensors tensors;
    for (const auto& parameter : model_.named_parameters()) {
      tensors.insert(parameter.key(), parameter.value().detach());
    }
    tensors.insert("batch.tokens", batch_.inputs[0]);
    tensors.insert("batch.targets", batch_.target);
    return tensors;
  }

  NamedTensors gradients() {
    NamedTensors tensors;
    for (const auto& parameter : model_.named_parameters()) {
      tensors.insert(parameter.key(), parameter.value().grad());
    }
    return tensors;
  }

  zoo::Gpt model_;
  zoo::Batch batch_;
};

}  // namespace
}  // namespace reprise::bench

int main() {
  reprise::count_memory();
  reprise::keep_freed_memory();
  torch::manual_seed(0);
  reprise::bench::GptSteps steps;
  return reprise::bench::answer_commands([&](const auto& words) { return steps.answer(words); });
}
