// SPDX-License-Identifier: Apache-2.0
// Our side of the GPT comparison: 12 layers, dim 384, 6 heads, T 256, B 8, 256 tokens, attention
// written out, dropout 0.1. bench/vs_pytorch.py drives it; bench/peer/gpt_step.py is its mirror.
//
//   model FILE              writes parameters and batch, for the other side to load
//   step [block] [rerun] [eval]
//                           one step: a region per block, or plain; rerun: regions do not replay;
//                           eval: dropout off
//   results FILE            writes what the last step computed
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <torch/torch.h>
#include <nlohmann/json.hpp>

#include "bench/step.h"
#include "bench/trained_model.h"
#include "bench/usage.h"
#include "reprise/memory.h"
#include "reprise/plan/segments.h"
#include "reprise/tape/region_options.h"
#include "reprise/zoo/gpt.h"

namespace reprise::bench {
namespace {

constexpr std::int64_t kLayers = 12, kBatch = 8, kTokens = 256, kVocabulary = 256;

TrainedModel make_gpt() {
  auto model = std::make_shared<zoo::Gpt>(
      zoo::GptSizes{.layers = kLayers, .dim = 384, .heads = 6, .context = kTokens, .dropout = 0.1});
  return {std::move(model),
          {.inputs = {torch::randint(kVocabulary, {kBatch, kTokens}, torch::kLong)},
           .target = torch::randint(kVocabulary, {kBatch, kTokens}, torch::kLong)}};
}

Step step(TrainedModel& gpt, bool has_regions, bool is_evaluation) {
  zoo::Model& model = gpt.model();
  model.train(!is_evaluation);
  zoo::RegionPlacement placement;
  placement.segments = has_regions ? plan::every_k(kLayers, 1, plan::LastSegment::kRegion)
                                   : plan::all_plain(kLayers);
  model.place_regions(std::move(placement));
  return gpt.step();
}

nlohmann::json answer(TrainedModel& gpt, const std::vector<std::string>& words) {
  if (has_word(words, "step")) {
    tape::set_default_recompute(has_word(words, "rerun") ? tape::Recompute::kRerun
                                                         : tape::Recompute::kReplay);
    return to_json(step(gpt, has_word(words, "block"), has_word(words, "eval")));
  }
  if (words.size() == 2 && words[0] == "model") {
    gpt.write_model(words[1]);
    return {{"parameters", gpt.model().parameters().size()}};
  }
  if (words.size() == 2 && words[0] == "results") {
    gpt.write_results(words[1]);
    return nlohmann::json::object();
  }
  throw std::invalid_argument("gpt_step: expected model, step or results, got " +
                              (words.empty() ? "nothing" : words[0]));
}

}  // namespace
}  // namespace reprise::bench

int main(int argc, char** argv) {
  using namespace reprise::bench;
  require_no_words(argc, argv, "gpt_step < COMMANDS (bench/vs_pytorch.py drives it)");
  reprise::count_memory();
  torch::manual_seed(0);
  TrainedModel gpt = make_gpt();
  return answer_commands([&](const auto& words) { return answer(gpt, words); });
}
