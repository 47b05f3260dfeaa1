// SPDX-License-Identifier: Apache-2.0
// A program of a chain's training step, of any length: the plain case of every theory.
#pragma once

#include <cstdint>

#include "reprise/plan/program.h"

namespace reprise::plan {

struct ChainSizes {
  std::int64_t layers = 50;
  std::int64_t width = 256;
  std::int64_t batch = 1024;
};

// Fully connected layers, each with its tanh: 3 ops, all alike. Throws std::invalid_argument unless
// every size is at least 1, or if the program is too large to be valid. O(layers).
Program generate_chain(const ChainSizes& sizes);

}  // namespace reprise::plan
