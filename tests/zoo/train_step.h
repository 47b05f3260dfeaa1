// SPDX-License-Identifier: Apache-2.0
// Small models of every kind and one training step of them, to compare bit for bit.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reprise/zoo/make_model.h"

namespace reprise::zoo {

// Sizes that train in milliseconds. gpt: 4 blocks · lstm: 6 · audio: 10 · cnn: 4 · unet: 5.
ModelSpec tiny(const std::string& model);
std::unique_ptr<DataSource> tiny_data(const std::string& model);

struct Step {
  at::Tensor loss;
  std::vector<at::Tensor> gradients;
  std::vector<at::Tensor> buffers;
  at::Tensor next_random;  // what the default generator gives after the step
  tape::RegionCounts counts;
  std::int64_t regions = 0;
};

// Forward and backward of the tiny model with the policy's regions; same seeds in every call.
Step train_step(const std::string& model, const std::string& policy);

// Same number of tensors, and the same bytes in each.
bool bitwise_equal(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b);

}  // namespace reprise::zoo
