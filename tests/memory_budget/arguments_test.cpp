// SPDX-License-Identifier: Apache-2.0
// What a MemoryBudget refuses, and that nothing is lost then.
#include "reprise/memory_budget.h"

#include <limits>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/memory.h"
#include "tests/memory_budget/layers.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::Layers;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(MemoryBudgetArguments, ABudgetIsPositive) {
  EXPECT_THAT([] { MemoryBudget(0); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("bytes must be positive, got 0")));
  EXPECT_THAT([] { MemoryBudget(-1); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("bytes must be positive, got -1")));
}

TEST(MemoryBudgetArguments, AShareIsAboveZeroAndAtMostOne) {
  for (const double share : {0.0, -0.5, 1.01, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT([&] { MemoryBudget::share_of_peak(share); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("above 0 and at most 1, got")));
  }
}

TEST(MemoryBudgetArguments, AnUnknownPlannerIsRefusedAtOnce) {
  EXPECT_THAT([] { MemoryBudget(mib(1), {.planner = "sqrt"}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("sqrt")));
}

TEST(MemoryBudgetArguments, ADeviceWithoutStatisticsIsRefusedAtOnce) {
  EXPECT_THAT(
      [] {
        MemoryBudget(mib(1), {.device = {c10::kFPGA, 0}});
      },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("MemoryBudget: the device must be the CPU or have an allocator with "
                    "statistics, got fpga:0")));
}

TEST(MemoryBudgetArguments, AStepInsideOfAStepIsAnError) {
  MemoryBudget budget(gib(1));
  Layers layers(2);
  const support::Tensors expected = layers.plain_gradients(8);
  {
    const auto step = budget.step();
    EXPECT_THAT([&] { const auto inner = budget.step(); },
                ThrowsMessage<std::logic_error>(HasSubstr("this thread is in a step already")));
    layers.loss(8).backward();
  }
  EXPECT_TRUE(bitwise_equal(layers.take_gradients(), expected));
}

// The lowest that any plan has.
std::int64_t least_peak(Layers& layers, std::int64_t rows) {
  MemoryBudget minimum = MemoryBudget::minimum();
  layers.gradients_under(minimum, rows);
  layers.gradients_under(minimum, rows);
  return minimum.report().last.predicted_peak_bytes;
}

TEST(MemoryBudgetArguments, ABudgetThatNoPlanMeetsIsRefusedWithTheMinimum) {
  Layers layers(8);
  const support::Tensors expected = layers.plain_gradients(64);
  const std::int64_t least = least_peak(layers, 64);

  const std::int64_t live = MemoryMeter().live_bytes();
  MemoryBudget budget(live + least / 2);
  layers.gradients_under(budget, 64);  // found out how much it takes
  try {
    layers.gradients_under(budget, 64);
    FAIL() << "expected a BudgetError";
  } catch (const BudgetError& error) {
    EXPECT_EQ(error.minimum_bytes, live + least);
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(live + least)));
  }
  EXPECT_EQ(live_hooks(), 0);

  MemoryBudget enough(live + least);
  EXPECT_TRUE(bitwise_equal(layers.gradients_under(enough, 64), expected));
  EXPECT_TRUE(bitwise_equal(layers.gradients_under(enough, 64), expected));
  EXPECT_LE(enough.report().last.total_peak_bytes, live + least);
}

TEST(MemoryBudgetArguments, ARefusalTellsWhatIsMostlyGradients) {
  Layers layers(8);
  MemoryBudget budget = MemoryBudget::above_start(1);
  layers.gradients_under(budget, 1);  // 8 gradients of 16 KiB, beside values of 256 bytes
  EXPECT_THAT(
      [&] { layers.gradients_under(budget, 1); },
      ThrowsMessage<BudgetError>(testing::ContainsRegex(
          "needs 13[0-9]\\.[0-9]+ KiB, 13[0-9]\\.[0-9]+ KiB of it gradients and temporaries that "
          "no plan controls, above what was live")));
}

TEST(MemoryBudgetArguments, ASoftBudgetDoesItsBest) {
  Layers layers(8);
  const support::Tensors expected = layers.plain_gradients(64);
  MemoryBudget budget(1, {.is_hard = false});

  for (int step = 0; step < 3; ++step) {
    EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, 64), expected));
  }
  EXPECT_EQ(budget.report().overruns, 3);
  EXPECT_EQ(budget.report().last.peak_bytes, budget.report().last.predicted_peak_bytes);
  EXPECT_EQ(live_hooks(), 0);
}

TEST(MemoryBudgetArguments, APassThatIsRefusedDoesNotEndTheOthers) {
  Layers layers(8);
  const support::Tensors expected = layers.plain_gradients(16);
  MemoryBudget budget = MemoryBudget::above_start(least_peak(layers, 64) - 1);
  layers.gradients_under(budget, 64);  // found out how much it takes
  EXPECT_THROW(layers.gradients_under(budget, 64), BudgetError);
  layers.take_gradients();
  for (int step = 0; step < 4; ++step) {
    EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, 16), expected)) << "step " << step;
    EXPECT_EQ(live_hooks(), 0);
  }
  EXPECT_FALSE(budget.report().last.has_departed);
  // It is told by its ops now, and refused before any of its values is made again.
  EXPECT_THROW(layers.gradients_under(budget, 64), BudgetError);
  layers.take_gradients();
  EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, 16), expected));
  EXPECT_EQ(live_hooks(), 0);
}

TEST(MemoryBudgetArguments, APassThatIsRefusedIsRefusedAgain) {
  Layers layers(8);
  MemoryBudget budget = MemoryBudget::above_start(1000);
  layers.gradients_under(budget, 64);
  for (int step = 0; step < 3; ++step) {
    EXPECT_THROW(layers.gradients_under(budget, 64), BudgetError) << "step " << step;
    for (const at::Tensor& gradient : layers.take_gradients()) {
      EXPECT_FALSE(gradient.defined());
    }
    EXPECT_EQ(live_hooks(), 0);
  }
}

TEST(MemoryBudgetArguments, AGivenScheduleIsWithinTheBudgetToo) {
  Layers layers(8);
  MemoryBudget all = MemoryBudget::share_of_peak(1);
  layers.gradients_under(all, 64);
  layers.gradients_under(all, 64);
  MemoryBudgetOptions options;
  options.schedule = all.schedule();
  MemoryBudget budget = MemoryBudget::share_of_peak(0.6, std::move(options));
  layers.gradients_under(budget, 64);
  EXPECT_THAT([&] { layers.gradients_under(budget, 64); },
              ThrowsMessage<BudgetError>(HasSubstr("the given schedule needs")));
  EXPECT_EQ(live_hooks(), 0);
}

TEST(MemoryBudgetArguments, AnOverheadThatTheBudgetDoesNotAllowIsTold) {
  Layers layers(8);
  MemoryBudget budget = MemoryBudget::share_of_peak(0.6, {.objective = Objective::smallest(0)});
  layers.gradients_under(budget, 64);
  layers.gradients_under(budget, 64);
  EXPECT_TRUE(budget.report().last.is_above_overhead);
  EXPECT_THAT(budget.report().text(), HasSubstr("more than asked for"));
}

}  // namespace
}  // namespace reprise
