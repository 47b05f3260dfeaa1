// SPDX-License-Identifier: Apache-2.0
// A small model to put under a budget: equal layers, each of which saves several values.
#pragma once

#include <vector>

#include <torch/torch.h>

#include "reprise/memory_budget.h"
#include "tests/support/training.h"

namespace reprise::support {

// Layers of a linear map, dropout and gelu on [rows, 64] floats, or whatever `options` say.
struct Layers {
  explicit Layers(int count, const at::TensorOptions& tensor_options = at::kFloat)
      : options(tensor_options) {
    torch::manual_seed(1);
    for (int i = 0; i < count; ++i) {
      weights.push_back((torch::randn({64, 64}) / 8).to(options).requires_grad_());
    }
  }

  // Of the CPU's generator and, if there is another, the device's.
  void seed() const {
    torch::manual_seed(2);
    if (!options.device().is_cpu()) {
      at::Generator generator = at::globalContext().defaultGenerator(options.device());
      generator.set_current_seed(2);
    }
  }

  at::Tensor loss(std::int64_t rows) {
    seed();
    at::Tensor h = torch::randn({rows, 64}).to(options);
    for (const at::Tensor& weight : weights) {
      h = torch::gelu(torch::dropout(h.mm(weight), 0.1, true));
    }
    return h.square().mean();
  }

  // The gradients, which are as before afterwards.
  Tensors take_gradients() {
    Tensors gradients;
    for (at::Tensor& weight : weights) {
      gradients.push_back(weight.grad());
      weight.mutable_grad() = at::Tensor();
    }
    return gradients;
  }

  Tensors plain_gradients(std::int64_t rows) {
    loss(rows).backward();
    return take_gradients();
  }

  Tensors gradients_under(MemoryBudget& budget, std::int64_t rows) {
    {
      const auto step = budget.step();
      loss(rows).backward();
    }
    return take_gradients();
  }

  at::TensorOptions options;
  std::vector<at::Tensor> weights;
};

}  // namespace reprise::support
