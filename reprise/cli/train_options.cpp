// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/option_table.h"

namespace reprise::cli {
namespace {

using enum OptionType;

constexpr Bounds kCount = {.min = 1, .max = 1e6};
constexpr Bounds kCountOrNone = {.min = 0, .max = 1e6};

const std::vector<std::string> kTrain = {"train"};

std::vector<OptionRecord> model_options() {
  const std::string group = "Model (a size that is not given is the model's own default)";
  return {
      {kTrain,
       "model",
       kChoice,
       "gpt",
       "What to train",
       group,
       "",
       {},
       {"gpt", "lstm", "audio", "cnn", "unet"}},
      {kTrain, "layers", kInteger, "", "Blocks (gpt, audio), layers (lstm) or levels (unet)", group,
       "", kCount},
      {kTrain, "dim", kInteger, "", "Width of a block, or channels of the first stage (cnn, unet)",
       group, "", kCount},
      {kTrain, "heads", kInteger, "", "Attention heads (gpt, audio)", group, "", kCount},
      {kTrain,
       "context",
       kInteger,
       "",
       "Tokens (gpt, lstm) or samples (audio) per sequence",
       group,
       "",
       {.min = 2, .max = 1e8}},
      {kTrain, "image-size", kInteger, "", "Pixels per side of synthetic images (cnn, unet)", group,
       "", kCount},
      {kTrain, "classes", kInteger, "", "Classes (cnn, unet)", group, "", {.min = 2, .max = 1e6}},
      {kTrain,
       "dropout",
       kReal,
       "",
       "Share of activations that dropout clears",
       group,
       "",
       {.min = 0, .max = 1, .excludes_max = true}},
      {kTrain,
       "attention",
       kChoice,
       "",
       "Attention written out with its dropout, or by scaled_dot_product_attention (gpt)",
       group,
       "",
       {},
       {"written", "sdpa", "flash"}},
  };
}

std::vector<OptionRecord> data_options() {
  const std::string group = "Data (synthetic, and called so, unless a file is given)";
  return {
      {kTrain, "text", kText, "", "Text to learn, byte by byte (gpt, lstm)", group, "FILE"},
      {kTrain, "data", kText, "",
       "Folder of WAV files (audio), or IDX file of images as MNIST's are (cnn, unet)", group,
       "PATH"},
      {kTrain, "labels", kText, "", "IDX file with the label of each image (cnn)", group, "FILE"},
      {kTrain, "batch", kInteger, "8", "Sequences or images per batch", group, "", kCount},
      {kTrain, "validation-batches", kInteger, "8",
       "Held-out batches whose mean loss is told at the end; 0: none", group, "", kCountOrNone},
  };
}

std::vector<OptionRecord> step_options() {
  const std::string group = "Training (AdamW)";
  return {
      {kTrain, "steps", kInteger, "100", "Optimizer steps", group, "", {.min = 1, .max = 1e9}},
      {kTrain,
       "seed",
       kInteger,
       "1",
       "Decides parameters, batches and dropout",
       group,
       "",
       {.min = 0, .max = 9e15}},
      {kTrain, "lr", kReal, "3e-4", "Learning rate", group, "", {.min = 0, .excludes_min = true}},
      {kTrain, "weight-decay", kReal, "0.01", "Decoupled weight decay", group, "", {.min = 0}},
      {kTrain, "accumulate", kInteger, "1", "Batches whose gradients are added up for one step",
       group, "", kCount},
      {kTrain,
       "clip",
       kReal,
       "1",
       "Largest norm of all gradients; 0: not clipped",
       group,
       "",
       {.min = 0}},
      {kTrain, "bf16", kFlag, "", "Run forward passes under bfloat16 autocast", group},
      {kTrain,
       "threads",
       kInteger,
       "0",
       "Threads that libtorch computes with; 0: one per core",
       group,
       "",
       {.min = 0, .max = 4096}},
  };
}

std::vector<OptionRecord> policy_options() {
  const std::string group = "Checkpointing";
  return {
      {kTrain, "policy", kText, "none",
       "Which blocks become regions: none, block, every=K, sqrt, segments=N, bytes=N, cost=N, "
       "attention, ffn",
       group, "POLICY"},
      {kTrain, "compare", kText, "",
       "Train under each of these policies from the same seed and show the strip: peak, overhead, "
       "loss, bit-equal",
       group, "LIST"},
      {kTrain, "warmup", kInteger, "2", "First steps that are left out of the times", group, "",
       kCountOrNone},
  };
}

std::vector<OptionRecord> output_options() {
  const std::string group = "Output and interruption";
  return {
      {kTrain, "json", kText, "",
       "Write the report there (docs/file_formats.md); -: to standard output, all else to standard "
       "error",
       group, "FILE"},
      {kTrain, "save", kText, "",
       "Keep the state there, whole at any moment: at the end, when interrupted, and every "
       "--save-every steps",
       group, "FILE"},
      {kTrain,
       "save-every",
       kInteger,
       "100",
       "Steps between saves; 0: only at the end",
       group,
       "",
       {.min = 0, .max = 1e9}},
      {kTrain, "resume", kText, "",
       "Go on from a saved state, bit for bit as if never interrupted; implies --save FILE unless "
       "another is given",
       group, "FILE"},
      {kTrain, "sample", kInteger, "200",
       "Bytes of text to write at the end (with --text); 0: none", group, "", kCountOrNone},
  };
}

}  // namespace

std::vector<OptionRecord> train_options() {
  std::vector<OptionRecord> all;
  for (const auto& part :
       {model_options(), data_options(), step_options(), policy_options(), output_options()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace reprise::cli
