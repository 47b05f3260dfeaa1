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
      .text("depths", "", "LIST", "Blocks of each stage (cnn), such as 3,4,6,3")
      .integer("dim", "", kCount, "Width of a block, or channels of the first stage (cnn, unet)")
      .integer("heads", "", kCount, "Attention heads (gpt, audio)")
      .integer("context", "", {.min = 2, .max = 1e8},
               "Tokens (gpt, lstm) or samples (audio) per sequence")
      .integer("image-size", "", kCount, "Pixels per side of synthetic images (cnn, unet)")
      .integer("classes", "", {.min = 2, .max = 1e6}, "Classes (cnn, unet)")
      .real("dropout", "", {.min = 0, .max = 1, .excludes_max = true},
            "Share of activations that dropout clears (gpt, audio)")
      .choice("attention", "", {"written", "sdpa", "flash"},
              "Attention written out with its dropout, or by scaled_dot_product_attention (gpt)");
}

}  // namespace reprise::cli
