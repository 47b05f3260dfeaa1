// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/model_options.h"
#include "reprise/cli/option_group.h"

namespace reprise::cli {
namespace {

constexpr Bounds kCount = {.min = 1, .max = 1e6};
constexpr Bounds kCountOrNone = {.min = 0, .max = 1e6};

// `train` and `verify` have these in common.
OptionGroup trained_model_options(const std::string& command) {
  return model_options(command, "Model", "gpt", "What to train");
}

OptionGroup data_options(const std::string& command) {
  return OptionGroup(command, "Data (synthetic, and called so, unless a file is given)")
      .text("text", "", "FILE", "Text to learn, byte by byte (gpt, lstm)")
      .text("data", "", "PATH",
            "Folder of WAV files (audio), or IDX file of images as MNIST's are (cnn, unet)")
      .text("labels", "", "FILE", "IDX file with the label of each image (cnn)")
      .integer("batch", "8", kCount, "Sequences or images per batch");
}

OptionGroup validated_data_options() {
  return data_options("train").integer(
      "validation-batches", "8", kCountOrNone,
      "Held-out batches whose mean loss is told at the end; 0: none");
}

OptionGroup step_options(const std::string& command, const std::string& steps, double fewest) {
  return OptionGroup(command, "Training (AdamW)")
      .integer("steps", steps, {.min = fewest, .max = 1e9}, "Optimizer steps")
      .integer("seed", "1", {.min = 0, .max = 9e15}, "Decides parameters, batches and dropout")
      .real("lr", "3e-4", {.min = 0, .excludes_min = true}, "Learning rate")
      .real("weight-decay", "0.01", {.min = 0}, "Decoupled weight decay")
      .integer("accumulate", "1", kCount, "Batches whose gradients are added up for one step")
      .real("clip", "1", {.min = 0}, "Largest norm of all gradients; 0: not clipped")
      .flag("bf16", "Run forward passes under bfloat16 autocast")
      .integer("threads", "0", {.min = 0, .max = 4096},
               "Threads that libtorch computes with; 0: one per core");
}

OptionGroup policy_options() {
  return OptionGroup("train", "Checkpointing, or a byte budget")
      .text("policy", "none", "POLICY",
            "Which blocks become regions: none, block, every=K, sqrt, best, segments=N, bytes=N, "
            "cost=N, attention, ffn; or what --budget, --overhead and --schedule say: "
            "budget=BYTES, overhead=SHARE, budget=BYTES+overhead=SHARE, schedule=FILE")
      .choice("recompute", "replay", {"replay", "rerun"},
              "How regions get their values back: by the ops that they ran, or by running the code "
              "of the model again")
      .text("budget", "", "BYTES",
            "Most bytes that live tensors may take in forward and backward: 123456789, 200MB, "
            "1.5GiB in all, 60% of what a pass takes above its start with everything kept, or "
            "minimum; the first step is recorded, then planned")
      .text(
          "overhead", "", "SHARE",
          "As few bytes as a plan manages whose predicted recompute time is at most this share of "
          "a plain step, such as 10%; with --budget still within that; planning takes seconds, "
          "and more for large models")
      .text("schedule", "", "FILE",
            "Follow this schedule instead of planning; it must be of the program that "
            "--save-program writes")
      .text(
          "compare", "", "LIST",
          "Train under each of these policies, as --policy takes them, from the same seed and show "
          "the strip: peak, overhead, loss, bit-equal; none is put first unless it is named: "
          "block,budget=40%,budget=1.5GiB,overhead=10%")
      .integer("policy-from-length", "0", {.min = 0, .max = 1e8},
               "Shortest sequence (gpt, lstm: tokens; audio: samples) that the policies are for; "
               "shorter ones train without regions")
      .integer("warmup", "2", kCountOrNone, "First steps that are left out of the times");
}

OptionGroup output_options() {
  return OptionGroup("train", "Output and interruption")
      .text("json", "", "FILE",
            "Write the report there (docs/file_formats.md); -: to standard output, all else to "
            "standard error")
      .text(
          "save-program", "", "FILE",
          "With a budget: write the pass that was recorded last there, for reprise plan, simulate "
          "and compare")
      .text("save-schedule", "", "FILE", "With a budget: write the schedule of that pass there")
      .text("save", "", "FILE",
            "Keep the state there, whole at any moment: at the end, when interrupted, and every "
            "--save-every steps")
      .integer("save-every", "100", {.min = 0, .max = 1e9},
               "Steps between saves; 0: only at the end")
      .text("resume", "", "FILE",
            "Go on from a saved state, bit for bit as if never interrupted; implies --save FILE "
            "unless another is given")
      .integer("sample", "200", kCountOrNone,
               "Bytes of text to write at the end (with --text); 0: none");
}

OptionGroup verification_options() {
  return OptionGroup("verify", "Verification")
      .text("budget", "50%", "BYTES", "The budget, as train takes it")
      .text("overhead", "", "SHARE",
            "As train takes it; without --budget given as well there is no other limit")
      .flag("paranoid",
            "Also replay each op at once, compare its bits, and look for writes to arguments that "
            "it does not declare; slow, and beyond the budget");
}

}  // namespace

std::vector<OptionRecord> train_options() {
  return records_of({trained_model_options("train"), validated_data_options(),
                     step_options("train", "100", 1), policy_options(), output_options()});
}

std::vector<OptionRecord> verify_options() {
  // In the first step nothing is planned yet.
  return records_of({verification_options(), trained_model_options("verify"),
                     data_options("verify"), step_options("verify", "3", 2)});
}

}  // namespace reprise::cli
