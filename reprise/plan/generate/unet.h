// SPDX-License-Identifier: Apache-2.0
// A program of a U-Net's training step, of any depth, without a model: its skip connections live
// from the way down to the way up.
#pragma once

#include <cstdint>

#include "reprise/plan/program.h"

namespace reprise::plan {

struct UnetSizes {
  std::int64_t layers = 18;    // convolutions, spread evenly over the way down, the bottom and the
                               // way up; at least one each
  std::int64_t levels = 4;     // halvings of the image
  std::int64_t channels = 16;  // of the first level; every level has twice as many
  std::int64_t image_size = 64;  // pixels per side
  std::int64_t batch = 8;        // images
};

// About 3 ops per convolution. Throws std::invalid_argument unless every size is at least 1,
// levels <= 16 and image_size is a multiple of 2^levels, or if the program is too large to be
// valid. O(layers).
Program generate_unet(const UnetSizes& sizes);

}  // namespace reprise::plan
