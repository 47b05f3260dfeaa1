// SPDX-License-Identifier: Apache-2.0
// What a MemoryBudget says of its values, and plans for other ends than speed.
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/memory.h"
#include "reprise/memory_budget.h"
#include "tests/memory_budget/layers.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::Layers;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::Le;
using testing::SizeIs;
using testing::ThrowsMessage;
using Action = plan::ValueFate::Action;

constexpr std::int64_t kRows = 64;

BudgetReport report_of(MemoryBudget& budget, Layers& layers) {
  const support::Tensors expected = layers.plain_gradients(kRows);
  for (int step = 0; step < 3; ++step) {
    EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, kRows), expected));
  }
  EXPECT_EQ(live_hooks(), 0);
  return budget.report();
}

TEST(BudgetReport, TellsOfEachValueWhatThePlanDoesAndWhy) {
  Layers layers(4);
  MemoryBudget budget = MemoryBudget::share_of_peak(.6);
  const BudgetReport report = report_of(budget, layers);

  // Each layer saves the mask and the result of its dropout; all but the first what mm reads.
  EXPECT_THAT(report.values,
              Contains(AllOf(Field(&ValueReport::action, Action::kRecomputed),
                             Field(&ValueReport::bytes, kRows * 64 * 4),
                             Field(&ValueReport::shape, testing::ElementsAre(kRows, 64)),
                             Field(&ValueReport::dtype, "float32"),
                             Field(&ValueReport::why, HasSubstr("made again")))))
      << report.values_text();
  EXPECT_THAT(report.values, Contains(Field(&ValueReport::action, Action::kKept)));
  EXPECT_THAT(report.values_text(), HasSubstr("recomputed  aten::"));
  EXPECT_THAT(report.values_text(), HasSubstr("  [64, 64] float32  "));
  EXPECT_GT(report.last.replay_state_bytes, 0);  // of the dropouts
  EXPECT_THAT(report.text(), HasSubstr("of random states and copies"));
}

TEST(BudgetReport, WithEverythingKeptRecomputesNothing) {
  Layers layers(4);
  MemoryBudget budget(gib(4));
  const BudgetReport report = report_of(budget, layers);
  EXPECT_THAT(report.values, Each(Field(&ValueReport::action, Action::kKept)));
  EXPECT_THAT(report.values, testing::Not(testing::IsEmpty()));
}

TEST(BudgetReport, HasNoValuesBeforeThereIsAPlan) {
  EXPECT_THAT(MemoryBudget(gib(1)).report().values, SizeIs(0));
}

TEST(BudgetReport, CountsWhatTheProgramHoldsItself) {
  const at::Tensor x = support::ramp({256}).requires_grad_();
  MemoryBudget budget(gib(1));
  at::Tensor held;
  for (int step = 0; step < 2; ++step) {
    const auto scope = budget.step();
    held = x.sin().exp();
    const at::Tensor loss = held.cos().sum();
    loss.backward();
  }
  EXPECT_THAT(budget.report().values, Contains(AllOf(Field(&ValueReport::action, Action::kHeld),
                                                     Field(&ValueReport::op, "aten::exp"))));
  // And the loss.
  EXPECT_THAT(budget.report().last.held_bytes,
              testing::AllOf(testing::Ge(256 * 8 + 8), testing::Le(256 * 8 + 64)));
}

class Overheads : public testing::TestWithParam<double> {};

TEST_P(Overheads, ThePlanIsTheSmallestWithinIt) {
  Layers layers(6);
  MemoryBudget budget(gib(4), {.objective = Objective::smallest(GetParam())});
  const BudgetReport report = report_of(budget, layers);
  EXPECT_THAT(report.last.predicted_overhead, Le(GetParam()));
  EXPECT_LT(report.last.predicted_peak_bytes, report.last.keep_all_peak_bytes);
  EXPECT_EQ(report.last.peak_bytes, report.last.predicted_peak_bytes);
}

INSTANTIATE_TEST_SUITE_P(Objective, Overheads, testing::Values(.05, .2, 1));

TEST(Objective, OfAnOverheadIsANumberThatIsNotNegative) {
  EXPECT_THAT([] { MemoryBudget(mib(1), {.objective = Objective::smallest(-.1)}); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("objective.most_overhead must not be negative, got -0.1")));
}

TEST(Headroom, IsLeftFree) {
  Layers layers(6);
  MemoryBudget whole = MemoryBudget::share_of_peak(1);
  const std::int64_t peak = report_of(whole, layers).last.peak_bytes;
  constexpr std::int64_t kFree = std::int64_t{32} << 10;
  MemoryBudget budget = MemoryBudget::above_start(peak, {.headroom_bytes = kFree});
  const BudgetReport report = report_of(budget, layers);
  EXPECT_EQ(report.last.limit_bytes, peak - kFree);
  EXPECT_THAT(report.last.peak_bytes, Le(peak - kFree));
}

TEST(Headroom, IsPartOfTheSmallestBudgetThatIsNamed) {
  Layers layers(6);
  constexpr std::int64_t kFree = std::int64_t{32} << 10;
  MemoryBudget tight = MemoryBudget::above_start(1000, {.headroom_bytes = 100});
  layers.gradients_under(tight, kRows);
  std::int64_t least = 0;
  try {
    layers.gradients_under(tight, kRows);
  } catch (const BudgetError& error) {
    least = error.minimum_bytes;
    EXPECT_THAT(error.what(), HasSubstr("and 100 B of headroom"));
  }
  layers.take_gradients();
  MemoryBudget budget = MemoryBudget::above_start(least - 100 + kFree, {.headroom_bytes = kFree});
  EXPECT_THAT(report_of(budget, layers).last.peak_bytes, Le(least - 100));
}

TEST(Headroom, OfTheMinimumIsRefused) {
  EXPECT_THAT([] { MemoryBudget::minimum({.headroom_bytes = 1}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("must be 0 where the budget is the")));
}

TEST(Objective, OfTheMinimumIsTheSmallestWithinTheOverhead) {
  Layers layers(6);
  MemoryBudget budget = MemoryBudget::minimum({.objective = Objective::smallest(.05)});
  EXPECT_THAT(report_of(budget, layers).last.predicted_overhead, Le(.05));
}

TEST(BudgetReport, MayBeAskedForWhileAPlanIsMade) {
  Layers layers(6);
  std::optional<MemoryBudget> budget;
  int calls = 0;
  MemoryBudgetOptions options;
  options.on_progress = [&](const plan::PlanProgress&) { calls += budget->report().steps > 0; };
  budget.emplace(MemoryBudget::share_of_peak(.6, std::move(options)));
  report_of(*budget, layers);
  EXPECT_GT(calls, 0);
}

TEST(Headroom, IsNotNegative) {
  EXPECT_THAT([] { MemoryBudget(mib(1), {.headroom_bytes = -1}); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("headroom_bytes must not be negative, got -1")));
}

}  // namespace
}  // namespace reprise
