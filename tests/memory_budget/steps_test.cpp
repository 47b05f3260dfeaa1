// SPDX-License-Identifier: Apache-2.0
// Steps of every shape: several backwards, exceptions, threads, what outlives what.
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/memory.h"
#include "reprise/memory_budget.h"
#include "tests/memory_budget/layers.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::Layers;

TEST(MemoryBudgetSteps, AccumulateGradientsOverSeveralForwards) {
  Layers layers(6);
  for (int i = 0; i < 2; ++i) {
    layers.loss(32).backward();
  }
  const support::Tensors expected = layers.take_gradients();
  MemoryBudget budget = MemoryBudget::share_of_peak(0.7);
  for (int step = 0; step < 3; ++step) {
    {
      const auto scope = budget.step();
      for (int i = 0; i < 2; ++i) {
        layers.loss(32).backward();
      }
    }
    EXPECT_TRUE(bitwise_equal(layers.take_gradients(), expected));
  }
  EXPECT_EQ(budget.report().passes, 6);
  EXPECT_EQ(budget.report().planned_passes, 5);
  EXPECT_EQ(live_hooks(), 0);
}

TEST(MemoryBudgetSteps, TwoForwardsMayComeBeforeTheirBackwards) {
  Layers layers(6);
  layers.loss(32).backward();
  layers.loss(16).backward();
  const support::Tensors expected = layers.take_gradients();
  MemoryBudget budget = MemoryBudget::share_of_peak(0.7);
  for (int step = 0; step < 3; ++step) {
    {
      const auto scope = budget.step();
      const at::Tensor first = layers.loss(32);
      const at::Tensor second = layers.loss(16);
      first.backward();
      second.backward();
    }
    EXPECT_TRUE(bitwise_equal(layers.take_gradients(), expected));
    EXPECT_EQ(live_hooks(), 0);
  }
  EXPECT_EQ(budget.report().last.peak_bytes, budget.report().last.predicted_peak_bytes)
      << budget.report().text();
}

TEST(MemoryBudgetSteps, AGraphMayBeUsedTwice) {
  Layers layers(6);
  const at::Tensor loss = layers.loss(32);
  loss.backward({}, /*retain_graph=*/true);
  loss.backward();
  const support::Tensors expected = layers.take_gradients();
  MemoryBudget budget = MemoryBudget::share_of_peak(0.7);
  for (int step = 0; step < 3; ++step) {
    {
      const auto scope = budget.step();
      const at::Tensor again = layers.loss(32);
      again.backward({}, /*retain_graph=*/true);
      again.backward();
    }
    EXPECT_TRUE(bitwise_equal(layers.take_gradients(), expected));
    EXPECT_EQ(live_hooks(), 0);
  }
  EXPECT_EQ(budget.report().departures, 0);
  EXPECT_EQ(budget.report().last.peak_bytes, budget.report().last.predicted_peak_bytes)
      << budget.report().text();
}

TEST(MemoryBudgetSteps, AnOptimizerMayStepInside) {
  const auto train = [](MemoryBudget* budget) {
    Layers layers(4);
    torch::optim::AdamW optimizer(layers.weights);
    for (int step = 0; step < 3; ++step) {
      optimizer.zero_grad();
      const auto run = [&] {
        layers.loss(32).backward();
        optimizer.step();
      };
      if (budget != nullptr) {
        const auto scope = budget->step();
        run();
      } else {
        run();
      }
    }
    return layers.weights;
  };
  MemoryBudget budget = MemoryBudget::share_of_peak(0.7);
  EXPECT_TRUE(bitwise_equal(train(&budget), train(nullptr)));
  EXPECT_EQ(budget.report().planned_passes, 2);
  EXPECT_EQ(live_hooks(), 0);
}

TEST(MemoryBudgetSteps, BackwardMayRunAfterTheStep) {
  Layers layers(6);
  const support::Tensors expected = layers.plain_gradients(32);
  auto budget = std::make_unique<MemoryBudget>(MemoryBudget::share_of_peak(0.7));
  layers.gradients_under(*budget, 32);
  at::Tensor loss;
  {
    const auto step = budget->step();
    loss = layers.loss(32);
  }
  budget.reset();
  loss.backward();
  EXPECT_TRUE(bitwise_equal(layers.take_gradients(), expected));
  EXPECT_EQ(live_hooks(), 0);
}

TEST(MemoryBudgetSteps, BackwardMayRunOnAnotherThread) {
  Layers layers(6);
  const support::Tensors expected = layers.plain_gradients(32);
  MemoryBudget budget = MemoryBudget::share_of_peak(0.7);
  for (int step = 0; step < 3; ++step) {
    {
      const auto scope = budget.step();
      const at::Tensor loss = layers.loss(32);
      std::thread([&] { loss.backward(); }).join();
    }
    EXPECT_TRUE(bitwise_equal(layers.take_gradients(), expected));
    EXPECT_EQ(live_hooks(), 0);
  }
}

TEST(MemoryBudgetSteps, TwoThreadsMayHaveTheirOwn) {
  const auto train = [] {
    std::vector<at::Tensor> weights;
    for (int i = 0; i < 6; ++i) {
      weights.push_back(torch::full({64, 64}, 0.01 * (i + 1)).requires_grad_());
    }
    MemoryBudget budget = MemoryBudget::share_of_peak(0.8, {.is_hard = false});
    for (int step = 0; step < 3; ++step) {
      const auto scope = budget.step();
      at::Tensor h = torch::ones({32, 64});
      for (const at::Tensor& weight : weights) {
        h = torch::gelu(h.mm(weight));
      }
      h.sum().backward();
    }
    support::Tensors gradients;
    for (const at::Tensor& weight : weights) {
      gradients.push_back(weight.grad());
    }
    return gradients;
  };
  const support::Tensors expected = train();
  support::Tensors one;
  support::Tensors other;
  std::thread first([&] { one = train(); });
  std::thread second([&] { other = train(); });
  first.join();
  second.join();
  EXPECT_TRUE(bitwise_equal(one, expected));
  EXPECT_TRUE(bitwise_equal(other, expected));
  EXPECT_EQ(live_hooks(), 0);
}

TEST(MemoryBudgetSteps, AnExceptionLeavesNothingBehind) {
  Layers layers(6);
  const support::Tensors expected = layers.plain_gradients(32);
  MemoryBudget budget = MemoryBudget::share_of_peak(0.7);
  for (int step = 0; step < 3; ++step) {
    const auto failing_step = [&] {
      const auto scope = budget.step();
      const at::Tensor loss = layers.loss(32);
      throw std::runtime_error("the user's");
    };
    EXPECT_THROW(failing_step(), std::runtime_error);
    EXPECT_EQ(live_hooks(), 0);
    EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, 32), expected));
  }
}

TEST(MemoryBudgetSteps, LiveBytesAreConstantOverManySteps) {
  Layers layers(3);
  MemoryBudget budget = MemoryBudget::minimum();
  for (int step = 0; step < 3; ++step) {
    layers.gradients_under(budget, 16);
  }
  const MemoryMeter meter;
  for (int step = 0; step < 1000; ++step) {
    layers.gradients_under(budget, 16);
  }
  EXPECT_EQ(meter.live_bytes(), meter.start_bytes());
}

TEST(MemoryBudgetSteps, OfOneBudgetInTwoThreadsAtATimeAreRefused) {
  MemoryBudget budget = MemoryBudget::minimum();
  {
    const auto step = budget.step();
    std::thread([&] { EXPECT_THROW(const auto other = budget.step(), std::logic_error); }).join();
  }
  std::thread([&] { EXPECT_NO_THROW(const auto other = budget.step()); }).join();
}

}  // namespace
}  // namespace reprise
