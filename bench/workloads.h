// SPDX-License-Identifier: Apache-2.0
// Training steps that budgets are measured on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace reprise::bench {

struct Workload {
  std::string name;  // short, for the command line
  std::string about;
  std::function<at::Tensor()> loss;  // a forward, always of the same batch
  std::function<void()> zero_grad;
  // Each block becomes a region, or none; null where there are no blocks.
  std::function<void(bool)> use_regions = nullptr;
  std::vector<double> shares;  // of the plain peak that budgets are measured at
  int rounds_per_round = 1;    // of short steps, more for the same time
};

Workload small_gpt();
Workload gpt();
// torch::nn::LSTMCell, 128 to 256, over 300 steps; a linear head and a squared error every tenth.
Workload lstm();
// Bottleneck blocks, 3, 4, 6 and 3 of them, as in ResNet-50 (He et al. 2015), on small images.
Workload resnet50();

}  // namespace reprise::bench
