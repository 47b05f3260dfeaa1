// SPDX-License-Identifier: Apache-2.0
// A program of a transformer's training step, of any depth, without a model.
#pragma once

#include <cstdint>

#include "reprise/plan/program.h"

namespace reprise::plan {

struct TransformerSizes {
  std::int64_t layers = 12;
  std::int64_t width = 256;
  std::int64_t heads = 4;
  std::int64_t context = 128;  // tokens per sequence
  std::int64_t batch = 4;      // sequences
  bool has_dropout = true;
};

// Blocks of attention written out and a feed-forward part, about 25 ops each; labels name the block
// and the part. Throws std::invalid_argument unless every size is at least 1 and `width` is a
// multiple of `heads`, or if the program is too large to be valid. O(layers).
Program generate_transformer(const TransformerSizes& sizes);

}  // namespace reprise::plan
