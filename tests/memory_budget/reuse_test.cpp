// SPDX-License-Identifier: Apache-2.0
// Plans of one budget that another one follows.
#include <vector>

#include <gtest/gtest.h>

#include "reprise/memory_budget.h"
#include "tests/memory_budget/layers.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::Layers;

void train(Layers& layers, MemoryBudget& budget, int steps, std::int64_t rows = 32) {
  const support::Tensors expected = layers.plain_gradients(rows);
  for (int step = 0; step < steps; ++step) {
    EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, rows), expected));
  }
  EXPECT_EQ(live_hooks(), 0);
}

std::vector<plan::Schedule> schedules_of(Layers& layers, MemoryBudget budget,
                                         std::int64_t rows = 32) {
  train(layers, budget, 3, rows);
  return budget.schedules();
}

TEST(MemoryBudgetReuse, FollowsAPlanOfAnotherBudgetInsteadOfPlanning) {
  Layers layers(6);
  MemoryBudget budget = MemoryBudget::share_of_peak(0.6);
  train(layers, budget, 3);
  MemoryBudget again = MemoryBudget::share_of_peak(0.6);
  again.reuse(budget.schedules());

  train(layers, again, 3);

  EXPECT_EQ(again.report().plans, 0);
  EXPECT_EQ(again.report().planned_passes, 2);
  EXPECT_EQ(again.report().last.replayed_ops, budget.report().last.replayed_ops);
  EXPECT_GT(again.report().last.replayed_ops, 0);
  EXPECT_EQ(again.report().last.peak_bytes, again.report().last.predicted_peak_bytes);
  EXPECT_EQ(again.report().last.plan, budget.report().last.plan);
}

TEST(MemoryBudgetReuse, PlansWhereTheLimitIsAnother) {
  Layers layers(6);
  constexpr std::int64_t kRows = 512;  // so that a tenth of the peak is more than a little
  const auto schedules = schedules_of(layers, MemoryBudget::share_of_peak(0.7), kRows);
  for (const double share : {0.6, 0.8}) {
    MemoryBudget other = MemoryBudget::share_of_peak(share);
    other.reuse(schedules);

    train(layers, other, 2, kRows);

    EXPECT_EQ(other.report().plans, 1);
    EXPECT_LE(other.report().last.peak_bytes, other.report().last.limit_bytes);
  }
}

TEST(MemoryBudgetReuse, PlansOtherPrograms) {
  Layers layers(6);
  const auto schedules = schedules_of(layers, MemoryBudget::share_of_peak(0.6));
  MemoryBudget other = MemoryBudget::share_of_peak(0.6);
  other.reuse(schedules);

  train(layers, other, 2, 48);

  EXPECT_EQ(other.report().plans, 1);
}

TEST(MemoryBudgetReuse, TakesForTheMinimumOnlyAPlanForTheMinimum) {
  Layers layers(6);
  auto schedules = schedules_of(layers, MemoryBudget::share_of_peak(0.6));
  MemoryBudget minimum = MemoryBudget::minimum();
  minimum.reuse(schedules);
  train(layers, minimum, 2);
  EXPECT_EQ(minimum.report().plans, 1);
  MemoryBudget again = MemoryBudget::minimum();
  again.reuse(minimum.schedules());

  train(layers, again, 2);

  EXPECT_EQ(again.report().plans, 0);
  EXPECT_EQ(again.report().last.peak_bytes, minimum.report().last.peak_bytes);
}

}  // namespace
}  // namespace reprise
