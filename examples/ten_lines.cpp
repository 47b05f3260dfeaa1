// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include <torch/torch.h>

#include "reprise/checkpoint.h"

int main() {
  torch::nn::Sequential block(torch::nn::Linear(64, 256), torch::nn::GELU(),
                              torch::nn::Dropout(0.1), torch::nn::Linear(256, 64));
  const auto x = torch::randn({32, 64});
  // Nothing inside the block is kept for backward, which computes it again: same mask, same bits.
  const auto y = reprise::checkpoint([&](const auto& input) { return block->forward(input); }, x);
  y.square().mean().backward();
  std::cout << block->parameters().front().grad().norm().item<float>() << '\n';
}
