// SPDX-License-Identifier: Apache-2.0
// A program of a residual convolutional network's training step, of any depth, without a model.
#pragma once

#include <cstdint>

#include "reprise/plan/program.h"

namespace reprise::plan {

struct ResnetSizes {
  std::int64_t layers = 16;      // residual blocks, spread evenly over four stages
  std::int64_t channels = 16;    // of the first stage; every stage has twice as many
  std::int64_t image_size = 64;  // pixels per side; every stage has half of them
  std::int64_t batch = 4;        // images
};

// Blocks of two convolutions, each with its norm, about 7 ops each. Throws std::invalid_argument
// unless every size is at least 1, or if the program is too large to be valid. O(layers).
Program generate_resnet(const ResnetSizes& sizes);

}  // namespace reprise::plan
