// SPDX-License-Identifier: Apache-2.0
// Checkpoints a function in one line; succeeds if backward ran the function again and the gradient
// equals plain training's bit for bit.
#include <cstring>
#include <iostream>

#include <torch/torch.h>

#include "reprise/reprise.h"

namespace {

int calls = 0;

torch::Tensor block(const torch::Tensor& x, const torch::Tensor& weight) {
  ++calls;
  return torch::dropout(torch::gelu(x.matmul(weight)), /*p=*/0.5, /*train=*/true).matmul(weight);
}

bool bitwise_equal(const torch::Tensor& a, const torch::Tensor& b) {
  return a.sizes() == b.sizes() && a.is_contiguous() && b.is_contiguous() &&
         std::memcmp(a.data_ptr(), b.data_ptr(), a.nbytes()) == 0;
}

}  // namespace

int main() {
  torch::manual_seed(1);
  const auto x = torch::randn({16, 32});
  const auto weight = torch::randn({32, 32}, torch::requires_grad());

  torch::manual_seed(2);
  block(x, weight).square().sum().backward();
  const auto plain = weight.grad().clone();
  weight.mutable_grad().reset();

  torch::manual_seed(2);
  calls = 0;
  reprise::checkpoint(block, x, weight).square().sum().backward();

  if (calls != 2) {
    std::cerr << "expected a forward and a recomputation, got " << calls << " calls\n";
    return 1;
  }
  if (!bitwise_equal(weight.grad(), plain)) {
    std::cerr << "the gradient differs from plain training's\n";
    return 1;
  }
  std::cout << "bit-equal gradients, norm " << plain.norm().item<float>() << '\n';
}
