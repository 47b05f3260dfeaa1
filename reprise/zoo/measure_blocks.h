// SPDX-License-Identifier: Apache-2.0
// What each block of a model saves for backward and how long its forward takes: measured.
#pragma once

#include <cstdint>
#include <vector>

#include "reprise/zoo/model.h"

namespace reprise::zoo {

// One entry per block of the model.
struct BlockMeasurements {
  std::vector<std::int64_t> saved_bytes;  // what a region around the block alone would free
  std::vector<std::int64_t> input_bytes;  // tensors that it takes, which a region keeps instead
  std::vector<double> forward_us;         // shortest of a few runs
};

// Runs a few forward passes of model.loss(sample) with every block a region, under the caller's
// autocast; each casts the weights anew, as a training step does. Buffers, the default generators
// of the CPU and of the model's device, and the model's placement are put back as they were;
// gradients are not touched.
BlockMeasurements measure_blocks(Model& model, const Batch& sample);

}  // namespace reprise::zoo
