// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/estimate_presets.h"
#include "reprise/cli/option_group.h"

namespace reprise::cli {
namespace {

constexpr Bounds kSize = {.min = 1, .max = 1e9};
constexpr Bounds kSizeOrNone = {.min = 0, .max = 1e9};

OptionGroup group(const std::string& heading) { return {"estimate", heading}; }

OptionGroup model_options() {
  return group("Model")
      .choice("preset", "", estimate_preset_names(),
              "Sizes and parallelism of a known model; options given beside it take precedence")
      .integer("layers", "12", kSize, "Transformer layers")
      .integer("dim", "768", kSize, "Hidden units")
      .integer("heads", "12", kSize, "Attention heads")
      .integer("ffn-dim", "0", kSizeOrNone, "Units of the feed-forward part; 0: four times --dim")
      .integer("vocabulary", "50257", kSize, "Tokens that the model knows")
      .integer("context", "1024", kSize, "Tokens per sequence")
      .integer("batch", "1", kSize, "Sequences per micro-batch")
      .flag("no-dropout", "The model has no dropout")
      .flag("no-positions", "The model has no table of position embeddings")
      .flag("untied-embeddings",
            "The output layer has a weight of its own instead of the token embedding");
}

OptionGroup memory_options() {
  return group("What is kept, and in how many bytes")
      .choice("recompute", "all", {"all", "none", "selective", "full"},
              "What backward recomputes: nothing, the core of the attention (selective), or all of "
              "a layer")
      .choice("attention", "all", {"all", "written", "fused"},
              "Attention kernels that store the scores (written out) or do not (fused)")
      .choice("precision", "mixed", {"mixed", "float"},
              "mixed: 2-byte activations and weights, float gradients and optimizer; float: all "
              "float")
      .integer("mask-bytes", "1", {.min = 1, .max = 8},
               "Bytes per entry of a dropout mask; on the CPU that of an activation");
}

OptionGroup parallel_options() {
  return group("Parallelism")
      .integer("tensor-parallel", "1", kSize, "Ranks that share each layer")
      .flag("sequence-parallel", "Those ranks share the rest of a layer too, along the sequence")
      .integer("pipeline-parallel", "1", kSize, "Pipeline stages")
      .integer("stage", "0", kSizeOrNone, "Stage that is asked about; the first, 0, holds most")
      .integer("interleave", "1", kSize, "Model chunks per stage; 1: plain 1F1B")
      .integer("micro-batches", "0", kSizeOrNone,
               "Micro-batches per step; 0: enough to fill the pipeline")
      .integer("data-parallel", "1", kSize, "Data-parallel ranks")
      .flag("shard-optimizer", "Optimizer state is split over the data-parallel ranks");
}

OptionGroup output_options() {
  return group("Output").text(
      "json", "", "FILE",
      "Write the estimate there (docs/file_formats.md); -: to standard output, the table to "
      "standard error");
}

}  // namespace

std::vector<OptionRecord> estimate_options() {
  return records_of({model_options(), memory_options(), parallel_options(), output_options()});
}

}  // namespace reprise::cli
