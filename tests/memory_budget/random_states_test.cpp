// SPDX-License-Identifier: Apache-2.0
// The generator states that a step keeps for its replays: none twice, none longer than needed.
#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/memory.h"
#include "reprise/memory_budget.h"
#include "tests/memory_budget/layers.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::Layers;

constexpr std::int64_t kStateBytes = 5056;  // of torch's Mersenne Twister

// Bytes live when backward gets to the gradient of the first layer's result, above those before the
// step.
std::int64_t live_bytes_near_the_end(Layers& layers, const at::Tensor& input) {
  const MemoryMeter meter;
  std::int64_t bytes = 0;
  at::Tensor h = input.mm(layers.weights[0]);
  h.register_hook(
      [&](const at::Tensor& /*gradient*/) { bytes = meter.live_bytes() - meter.start_bytes(); });
  for (const at::Tensor& weight : layers.weights) {
    h = torch::gelu(torch::dropout(h.mm(weight), 0.1, true));
  }
  h.square().mean().backward();
  return bytes;
}

TEST(MemoryBudgetRandomStates, GoWithTheLastValueThatTheyMayBeNeededFor) {
  Layers layers(6);
  const at::Tensor input = torch::randn({32, 64});
  const std::int64_t expected = live_bytes_near_the_end(layers, input);
  layers.take_gradients();
  MemoryBudget budget = MemoryBudget::share_of_peak(1);
  for (int step = 0; step < 3; ++step) {
    {
      const auto scope = budget.step();
      EXPECT_EQ(live_bytes_near_the_end(layers, input), expected) << "step " << step;
    }
    layers.take_gradients();
    EXPECT_EQ(budget.report().last.replay_state_bytes, 6 * kStateBytes);
    EXPECT_EQ(live_hooks(), 0);
  }
  EXPECT_EQ(budget.report().last.peak_bytes, budget.report().last.predicted_peak_bytes);
}

TEST(MemoryBudgetRandomStates, StayForASecondBackward) {
  Layers layers(6);
  const auto both = [&] {
    const at::Tensor loss = layers.loss(32);
    loss.backward({}, /*retain_graph=*/true);
    loss.backward();
  };
  both();
  const support::Tensors expected = layers.take_gradients();
  MemoryBudget budget = MemoryBudget::share_of_peak(0.6);
  for (int step = 0; step < 4; ++step) {
    {
      const auto scope = budget.step();
      both();
    }
    EXPECT_TRUE(bitwise_equal(layers.take_gradients(), expected)) << "step " << step;
    EXPECT_EQ(live_hooks(), 0);
  }
  EXPECT_GT(budget.report().last.replayed_ops, 0);
}

TEST(MemoryBudgetRandomStates, AreSharedByOpsThatDrawNothing) {
  const at::Tensor weight = torch::randn({1, 2, 4, 8}).requires_grad_();
  const auto run = [&] {
    torch::manual_seed(3);
    at::Tensor h = weight;
    for (int i = 0; i < 3; ++i) {
      h = torch::scaled_dot_product_attention(h, h, h);  // may drop, so its op has a generator
    }
    torch::dropout(h, 0.5, true).square().sum().backward();
  };
  run();
  const at::Tensor expected = weight.grad();
  MemoryBudget budget = MemoryBudget::minimum();
  for (int step = 0; step < 3; ++step) {
    weight.mutable_grad() = at::Tensor();
    {
      const auto scope = budget.step();
      run();
    }
    EXPECT_TRUE(at::equal(weight.grad(), expected));
    EXPECT_EQ(budget.report().last.replay_state_bytes, kStateBytes);
  }
  EXPECT_GT(budget.report().last.replayed_ops, 0);
}

// What forward goes on with after a backward may have been made by ops whose states are gone.
TEST(MemoryBudgetRandomStates, ResultsOfOpsWhoseStatesAreGoneAreKept) {
  const at::Tensor early = torch::linspace(-1, 1, 512).requires_grad_();
  const at::Tensor middle = torch::linspace(-2, 1, 512).requires_grad_();
  const at::Tensor late = torch::linspace(-1, 3, 512).requires_grad_();
  const auto run = [&] {
    torch::manual_seed(4);
    at::Tensor first = (early * 2).exp().square();  // in use until the end
    at::Tensor noisy = torch::dropout(middle.exp(), 0.5, true);
    noisy.sin().sum().backward();
    at::Tensor bits = torch::dropout(noisy.detach(), 0.3, true);
    at::Tensor second = (noisy.detach() * late).cos() * bits;
    noisy.reset();
    bits.reset();
    second.sum().backward();
    first.sum().backward();
  };
  const auto take = [&] {
    support::Tensors gradients;
    for (const at::Tensor& each : {early, middle, late}) {
      gradients.push_back(each.grad());
      each.mutable_grad() = at::Tensor();
    }
    gradients.push_back(torch::rand({4}));  // the generator is where it was
    return gradients;
  };
  run();
  const support::Tensors expected = take();
  for (const double share : {1.0, 0.3}) {
    MemoryBudget budget =
        MemoryBudget::above_start(static_cast<std::int64_t>(share * 20 * 2048), {.is_hard = false});
    for (int step = 0; step < 4; ++step) {
      {
        const auto scope = budget.step();
        run();
      }
      EXPECT_TRUE(bitwise_equal(take(), expected)) << share << ", step " << step;
      EXPECT_EQ(budget.report().last.replayed_ops > 0, share < 1) << budget.report().text();
      EXPECT_EQ(live_hooks(), 0);
    }
  }
}

}  // namespace
}  // namespace reprise
