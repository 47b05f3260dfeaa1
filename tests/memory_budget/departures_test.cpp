// SPDX-License-Identifier: Apache-2.0
// Steps that do not run what was planned: the result is right, and they get plans of their own.
#include <c10/core/Allocator.h>
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

TEST(MemoryBudgetDepartures, AShapeThatComesNowAndThenIsLearnedToo) {
  Layers layers(6);
  const support::Tensors of_32 = layers.plain_gradients(32);
  const support::Tensors of_48 = layers.plain_gradients(48);
  MemoryBudget budget = MemoryBudget::share_of_peak(0.7);
  for (int step = 0; step < 12; ++step) {
    if (step % 3 == 2) {
      EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, 48), of_48));
      EXPECT_EQ(budget.report().last.has_departed, step < 6);  // the second time it is recorded
    } else {
      EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, 32), of_32));
      EXPECT_FALSE(budget.report().last.has_departed);
    }
    EXPECT_EQ(live_hooks(), 0);
  }
  EXPECT_EQ(budget.report().departures, 2);
  EXPECT_EQ(budget.report().plans, 3);  // that of 32 rows once more, with warm costs
  EXPECT_GT(budget.report().last.replayed_ops, 0);
  EXPECT_EQ(budget.report().last.peak_bytes, budget.report().last.predicted_peak_bytes);
}

TEST(MemoryBudgetDepartures, ThePassesUsedLastAreRemembered) {
  Layers layers(6);
  MemoryBudget budget = MemoryBudget::share_of_peak(1, {.most_passes = 2});
  const auto learn = [&](std::int64_t rows) {
    layers.gradients_under(budget, rows);  // departs, unless it is the first
    layers.gradients_under(budget, rows);  // is recorded
    layers.gradients_under(budget, rows);
    EXPECT_FALSE(budget.report().last.has_departed);
  };
  learn(32);
  learn(48);
  layers.gradients_under(budget, 32);
  learn(16);  // in place of 48

  layers.gradients_under(budget, 32);
  EXPECT_FALSE(budget.report().last.has_departed);
  layers.gradients_under(budget, 48);
  EXPECT_TRUE(budget.report().last.has_departed);
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

// Memory that is no op's and is there all through the pass moves every part of it alike, so
// whatever the plan was, one correction is what it takes.
TEST(MemoryBudgetDepartures, APeakAboveThePredictedOneIsPlannedForFromThenOn) {
  Layers layers(8);
  constexpr std::int64_t rows = 4096;  // a value is 1 MiB
  const support::Tensors expected = layers.plain_gradients(rows);
  MemoryBudget budget = MemoryBudget::share_of_peak(0.7, {.iterations = 20});
  const auto gradients_beside = [&](std::size_t bytes) {
    {
      const auto step = budget.step();
      const at::Tensor begins_the_pass = torch::ones({1});
      const c10::DataPtr more = c10::GetAllocator(c10::kCPU)->allocate(bytes);
      layers.loss(rows).backward();
    }
    return layers.take_gradients();
  };
  gradients_beside(0);
  EXPECT_TRUE(bitwise_equal(gradients_beside(0), expected));
  EXPECT_EQ(budget.report().last.peak_bytes, budget.report().last.predicted_peak_bytes);
  EXPECT_EQ(budget.report().corrections, 0);

  constexpr std::size_t more_bytes = 3 << 20;
  EXPECT_TRUE(bitwise_equal(gradients_beside(more_bytes), expected));
  EXPECT_EQ(budget.report().last.peak_bytes,
            budget.report().last.predicted_peak_bytes + std::int64_t{more_bytes});
  EXPECT_EQ(budget.report().corrections, 1);
  EXPECT_EQ(budget.report().overruns, 1);
  for (int step = 0; step < 3; ++step) {
    EXPECT_TRUE(bitwise_equal(gradients_beside(more_bytes), expected));
    EXPECT_LE(budget.report().last.peak_bytes, budget.report().last.limit_bytes);
  }
  EXPECT_EQ(budget.report().overruns, 1);
  EXPECT_EQ(budget.report().corrections, 1);
}

}  // namespace
}  // namespace reprise
