// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/model_options.h"

namespace reprise::cli {
namespace {

constexpr Bounds kCount = {.min = 1, .max = 1e6};

}  // namespace

OptionGroup model_options(const std::string& command, const std::string& heading,
                          const std::string& fallback, const std::string& help) {
  return OptionGroup(command, heading)
      .choice("model", fallback, {"gpt", "lstm", "audio", "cnn", "unet"}, help)
      .integer("layers", "", kCount, "Blocks (gpt, audio) or levels (unet)")
      .unless_given("gpt 6, audio 4, unet 3")
      .text("depths", "", "LIST", "Blocks of each stage (cnn)")
      .unless_given("2,2,2,2")
      .integer("dim", "", kCount, "Width of a block, or channels of the first stage (cnn, unet)")
      .unless_given("gpt 192, lstm 256, audio 128, cnn 16, unet 16")
      .integer("heads", "", kCount, "Attention heads (gpt, audio), of which --dim is a multiple")
      .unless_given("gpt 6, audio 4")
      .integer("context", "", {.min = 2, .max = 1e8},
               "Tokens (gpt, lstm) or samples (audio) per sequence")
      .unless_given("gpt 128, lstm 128, audio 16000")
      .integer("image-size", "", kCount, "Pixels per side of synthetic images (cnn, unet)")
      .unless_given("cnn 32, unet 64")
      .integer("classes", "", {.min = 2, .max = 1e6}, "Classes (cnn, unet)")
      .unless_given("cnn 10, unet 4")
      .real("dropout", "", {.min = 0, .max = 1, .excludes_max = true},
            "Share of activations that dropout clears (gpt, audio)")
      .unless_given("0.1")
      .choice("attention", "", {"written", "sdpa", "flash"},
              "Attention written out with its dropout, or by scaled_dot_product_attention (gpt)")
      .unless_given("written");
}

}  // namespace reprise::cli
