// SPDX-License-Identifier: Apache-2.0
// Steps that do not run what was planned: the result is right, and they get plans of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/memory_budget.h"
#include "tests/memory_budget/layers.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::Layers;

TEST(MemoryBudgetDepartures, AnotherShapeLeavesThePlanAndThenHasItsOwn) {
  Layers layers(6);
  const support::Tensors of_32 = layers.plain_gradients(32);
  const support::Tensors of_48 = layers.plain_gradients(48);
  MemoryBudget budget = MemoryBudget::share_of_peak(0.7);

  EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, 32), of_32));  // recorded
  EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, 32), of_32));  // planned
  EXPECT_EQ(budget.report().departures, 0);
  EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, 48), of_48));
  EXPECT_TRUE(budget.report().last.has_departed);
  EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, 48), of_48));  // recorded
  EXPECT_TRUE(budget.report().last.has_departed);

  for (int step = 0; step < 3; ++step) {
    EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, 48), of_48));
    EXPECT_FALSE(budget.report().last.has_departed);
    EXPECT_EQ(budget.report().last.peak_bytes, budget.report().last.predicted_peak_bytes);
    EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, 32), of_32));
    EXPECT_FALSE(budget.report().last.has_departed);
    EXPECT_EQ(budget.report().last.peak_bytes, budget.report().last.predicted_peak_bytes);
  }
  EXPECT_EQ(live_hooks(), 0);
}

TEST(MemoryBudgetDepartures, AStepThatIsCutShortLeavesThePlanInBackward) {
  Layers layers(6);
  const support::Tensors expected = layers.plain_gradients(32);
  MemoryBudget budget = MemoryBudget::share_of_peak(0.8);
  layers.gradients_under(budget, 32);
  layers.gradients_under(budget, 32);
  {
    const auto step = budget.step();
    const at::Tensor loss = layers.loss(32);
    const auto gradient = torch::autograd::grad({loss}, {layers.weights.back()});
    EXPECT_TRUE(bitwise_equal(gradient[0], expected.back()));
  }
  EXPECT_EQ(live_hooks(), 0);
  EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, 32), expected));
  EXPECT_FALSE(budget.report().last.has_departed);
}

TEST(MemoryBudgetDepartures, AnExtraOpAtTheEndLeavesThePlanThere) {
  Layers layers(6);
  const support::Tensors expected = layers.plain_gradients(32);
  MemoryBudget budget = MemoryBudget::share_of_peak(0.8);
  layers.gradients_under(budget, 32);
  layers.gradients_under(budget, 32);
  {
    const auto step = budget.step();
    layers.loss(32).mul(1).backward();
  }
  EXPECT_TRUE(budget.report().last.has_departed);
  EXPECT_TRUE(bitwise_equal(layers.take_gradients(), expected));
}

TEST(MemoryBudgetDepartures, APeakAboveThePredictedOneIsPlannedForFromThenOn) {
  Layers layers(8);
  constexpr std::int64_t rows = 4096;  // a value is 1 MiB
  const support::Tensors expected = layers.plain_gradients(rows);
  MemoryBudget budget = MemoryBudget::share_of_peak(0.7, {.iterations = 20});
  layers.gradients_under(budget, rows);
  layers.gradients_under(budget, rows);
  EXPECT_EQ(budget.report().last.peak_bytes, budget.report().last.predicted_peak_bytes);

  const auto take_more = [] { torch::empty({8 << 20}, torch::kByte); };
  for (const at::Tensor& weight : layers.weights) {
    weight.register_hook([take_more](const at::Tensor&) { take_more(); });
  }
  EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, rows), expected));
  EXPECT_EQ(budget.report().corrections, 1);
  EXPECT_EQ(budget.report().overruns, 1);
  // Where the memory is taken was not the peak before, so one correction may not be enough.
  for (int step = 0; step < 3; ++step) {
    EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, rows), expected));
  }
  EXPECT_LE(budget.report().last.peak_bytes, budget.report().last.limit_bytes);
  EXPECT_LE(budget.report().corrections, 3);
}

}  // namespace
}  // namespace reprise
