// SPDX-License-Identifier: Apache-2.0
// Random models: rows of layers of many kinds, drawn from a seed.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/support/training.h"

namespace reprise::support {

// An image [2, 4, 6, 6] or a sequence [2, 6, 8] goes through 4 to 15 layers: linear, convolution,
// norms, dropout, attention, views, cat and split, in-place ops, reductions, embedding, functions
// with a backward of their own; some of them beside a skip connection.
class RandomModel {
 public:
  explicit RandomModel(std::uint32_t seed);

  // The same input and random numbers each time.
  at::Tensor loss();
  // Gradients, which are as before afterwards, and buffers, which are as at the start.
  Tensors take_results();

 private:
  struct Layer {
    std::size_t kind = 0;
    bool has_skip = false;
  };
  std::uint32_t seed_;
  bool is_image_;
  std::vector<Layer> image_layers_;
  std::vector<Layer> layers_;
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> buffers_;
};

}  // namespace reprise::support
