// SPDX-License-Identifier: Apache-2.0
// Checkpoints a function in one line, once by replaying its ops and once by calling it again;
// succeeds if the function was called as often as that says and the gradients equal plain
// training's bit for bit.
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

// False, with a line that says so, if a region that gets its values back by `how` calls `block`
// another number of times or makes another gradient than plain training.
bool same_gradient(reprise::Recompute how, int expected_calls, const torch::Tensor& x,
                   const torch::Tensor& weight, const torch::Tensor& plain) {
  torch::manual_seed(2);
  calls = 0;
  weight.mutable_grad().reset();
  reprise::CheckpointOptions options;
  options.recompute = how;
  reprise::checkpoint(options, block, x, weight).square().sum().backward();
  if (calls != expected_calls) {
    std::cerr << "expected " << expected_calls << " calls of the function, got " << calls << '\n';
    return false;
  }
  if (!bitwise_equal(weight.grad(), plain)) {
    std::cerr << "the gradient differs from plain training's\n";
    return false;
  }
  return true;
}

}  // namespace

int main() {
  torch::manual_seed(1);
  const auto x = torch::randn({16, 32});
  const auto weight = torch::randn({32, 32}, torch::requires_grad());

  torch::manual_seed(2);
  block(x, weight).square().sum().backward();
  const auto plain = weight.grad().clone();

  if (!same_gradient(reprise::Recompute::kReplay, 1, x, weight, plain) ||
      !same_gradient(reprise::Recompute::kRerun, 2, x, weight, plain)) {
    return 1;
  }
  std::cout << "bit-equal gradients, norm " << plain.norm().item<float>() << '\n';
}
