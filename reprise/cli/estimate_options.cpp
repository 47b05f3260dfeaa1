// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/estimate_presets.h"
#include "reprise/cli/option_table.h"

namespace reprise::cli {
namespace {

using enum OptionType;

constexpr Bounds kSize = {.min = 1, .max = 1e9};

const std::vector<std::string> kEstimate = {"estimate"};

std::vector<OptionRecord> model_options() {
  const std::string group = "Model";
  return {
      {kEstimate,
       "preset",
       kChoice,
       "",
       "Sizes and parallelism of a known model; options given beside it take precedence",
       group,
       "",
       {},
       estimate_preset_names()},
      {kEstimate, "layers", kInteger, "12", "Transformer layers", group, "", kSize},
      {kEstimate, "dim", kInteger, "768", "Hidden units", group, "", kSize},
      {kEstimate, "heads", kInteger, "12", "Attention heads", group, "", kSize},
      {kEstimate,
       "ffn-dim",
       kInteger,
       "0",
       "Units of the feed-forward part; 0: four times --dim",
       group,
       "",
       {.min = 0, .max = 1e9}},
      {kEstimate, "vocabulary", kInteger, "50257", "Tokens that the model knows", group, "", kSize},
      {kEstimate, "context", kInteger, "1024", "Tokens per sequence", group, "", kSize},
      {kEstimate, "batch", kInteger, "1", "Sequences per micro-batch", group, "", kSize},
      {kEstimate, "no-dropout", kFlag, "", "The model has no dropout", group},
      {kEstimate, "no-positions", kFlag, "", "The model has no table of position embeddings",
       group},
      {kEstimate, "untied-embeddings", kFlag, "",
       "The output layer has a weight of its own instead of the token embedding", group},
  };
}

std::vector<OptionRecord> memory_options() {
  const std::string group = "What is kept, and in how many bytes";
  return {
      {kEstimate,
       "recompute",
       kChoice,
       "all",
       "What backward recomputes: nothing, the core of the attention (selective), or all of a "
       "layer",
       group,
       "",
       {},
       {"all", "none", "selective", "full"}},
      {kEstimate,
       "attention",
       kChoice,
       "all",
       "Attention kernels that store the scores (written out) or do not (fused)",
       group,
       "",
       {},
       {"all", "written", "fused"}},
      {kEstimate,
       "precision",
       kChoice,
       "mixed",
       "mixed: 2-byte activations and weights, float gradients and optimizer; float: all float",
       group,
       "",
       {},
       {"mixed", "float"}},
      {kEstimate,
       "mask-bytes",
       kInteger,
       "1",
       "Bytes per entry of a dropout mask; on the CPU that of an activation",
       group,
       "",
       {.min = 1, .max = 8}},
  };
}

std::vector<OptionRecord> parallel_options() {
  const std::string group = "Parallelism";
  return {
      {kEstimate, "tensor-parallel", kInteger, "1", "Ranks that share each layer", group, "",
       kSize},
      {kEstimate, "sequence-parallel", kFlag, "",
       "Those ranks share the rest of a layer too, along the sequence", group},
      {kEstimate, "pipeline-parallel", kInteger, "1", "Pipeline stages", group, "", kSize},
      {kEstimate,
       "stage",
       kInteger,
       "0",
       "Stage that is asked about; the first, 0, holds most",
       group,
       "",
       {.min = 0, .max = 1e9}},
      {kEstimate, "interleave", kInteger, "1", "Model chunks per stage; 1: plain 1F1B", group, "",
       kSize},
      {kEstimate,
       "micro-batches",
       kInteger,
       "0",
       "Micro-batches per step; 0: enough to fill the pipeline",
       group,
       "",
       {.min = 0, .max = 1e9}},
      {kEstimate, "data-parallel", kInteger, "1", "Data-parallel ranks", group, "", kSize},
      {kEstimate, "shard-optimizer", kFlag, "",
       "Optimizer state is split over the data-parallel ranks", group},
  };
}

}  // namespace

std::vector<OptionRecord> estimate_options() {
  std::vector<OptionRecord> all;
  for (const auto& part : {model_options(), memory_options(), parallel_options()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  all.push_back(
      {kEstimate, "json", kText, "",
       "Write the estimate there (docs/file_formats.md); -: to standard output, the table "
       "to standard error",
       "Output", "FILE"});
  return all;
}

}  // namespace reprise::cli
