// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include <torch/torch.h>

#include "reprise/checkpoint.h"

int main() {
  torch::nn::Sequential block(torch::nn::Linear(64, 256), torch::nn::GELU(),
                              torch::nn::Dropout(0.1), torch::nn::Linear(256, 64));
  const auto x = torch::randn({32, 64});
  const auto y = reprise::checkpoint(block, x);  // nothing inside `block` is kept for backward
  y.square().mean().backward();                  // recomputed here, with the same dropout mask
  std::cout << block->parameters().front().grad().norm() << '\n';
}
