// SPDX-License-Identifier: Apache-2.0
// The peak of a step under a budget: within it, and the one that was predicted, to the byte.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/memory.h"
#include "reprise/memory_budget.h"
#include "reprise/zoo/make_model.h"
#include "tests/memory_budget/layers.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::Layers;

TEST(MemoryBudgetPeaks, EverythingIsKeptIfItFits) {
  Layers layers(4);
  const support::Tensors expected = layers.plain_gradients(64);
  MemoryBudget budget(gib(64));

  for (int step = 0; step < 2; ++step) {
    EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, 64), expected));
    EXPECT_EQ(budget.report().last.replayed_ops, 0);
  }
  EXPECT_EQ(budget.report().last.peak_bytes, budget.report().last.predicted_peak_bytes);
  EXPECT_EQ(budget.report().plans, 1);
}

TEST(MemoryBudgetPeaks, TheFirstStepIsWithinTheBudgetToo) {
  Layers layers(8);
  const support::Tensors expected = layers.plain_gradients(64);
  MemoryBudget all = MemoryBudget::share_of_peak(1);
  layers.gradients_under(all, 64);
  const std::int64_t peak = all.report().last.peak_bytes;
  const std::int64_t live = MemoryMeter().live_bytes();

  MemoryBudget budget(live + peak * 6 / 10);
  EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, 64), expected));
  const BudgetReport first = budget.report();
  EXPECT_EQ(first.planned_passes, 0);
  EXPECT_GT(first.last.evictions, 0);
  EXPECT_GT(first.last.replayed_ops, 0);
  EXPECT_LE(first.last.total_peak_bytes, live + peak * 6 / 10);

  EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, 64), expected));
  const BudgetReport second = budget.report();
  EXPECT_EQ(second.planned_passes, 1);
  EXPECT_EQ(second.last.peak_bytes, second.last.predicted_peak_bytes);
  EXPECT_LE(second.last.total_peak_bytes, live + peak * 6 / 10);
  EXPECT_EQ(second.last.evictions, 0);
}

TEST(MemoryBudgetPeaks, APassIsPlannedOnceMoreWithWarmCosts) {
  Layers layers(8);
  const support::Tensors expected = layers.plain_gradients(64);
  MemoryBudget budget = MemoryBudget::share_of_peak(0.6);
  for (int step = 0; step < 7; ++step) {
    EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, 64), expected));
    const BudgetReport report = budget.report();
    EXPECT_EQ(report.plans, step == 0 ? 0 : step < 4 ? 1 : 2);
    if (step > 0) {
      EXPECT_EQ(report.last.peak_bytes, report.last.predicted_peak_bytes);
      EXPECT_GT(report.last.replayed_ops, 0);
      EXPECT_GT(report.last.recompute_us, 0);
      EXPECT_GT(report.last.pass_us, report.last.recompute_us);
    }
    EXPECT_EQ(live_hooks(), 0);
  }
}

// What a model of the zoo does at shares of its peak: gradients of every parameter, and the peak.
void expect_exact_peaks(zoo::ModelSpec spec, const std::vector<double>& shares) {
  const auto data = zoo::make_data(spec, {.batch_size = 2});
  const zoo::Batch batch = data->batch(zoo::Split::kTrain, 0);
  torch::manual_seed(1);
  const auto model = zoo::make_model(spec);
  const auto gradients_of = [&](const std::function<void()>& run) {
    model->zero_grad();
    torch::manual_seed(2);
    run();
    support::Tensors gradients;
    for (const at::Tensor& parameter : model->parameters()) {
      gradients.push_back(parameter.grad());
    }
    return gradients;
  };
  const support::Tensors expected = gradients_of([&] { model->loss(batch).backward(); });
  for (const double share : shares) {
    SCOPED_TRACE(spec.name + " at " + std::to_string(share));
    MemoryBudget budget = MemoryBudget::share_of_peak(share, {.iterations = 20});
    for (int step = 0; step < 2; ++step) {
      const support::Tensors gradients = gradients_of([&] {
        const auto scope = budget.step();
        model->loss(batch).backward();
      });
      EXPECT_TRUE(bitwise_equal(gradients, expected));
    }
    const BudgetReport report = budget.report();
    EXPECT_EQ(report.planned_passes, 1) << report.unplanned_because;
    EXPECT_EQ(report.last.peak_bytes, report.last.predicted_peak_bytes);
    EXPECT_LE(report.last.peak_bytes, report.last.limit_bytes);
    EXPECT_EQ(report.departures, 0);
    EXPECT_EQ(report.last.replayed_ops > 0, share < 1);
  }
}

TEST(MemoryBudgetPeaks, OfAGptAreAsPredicted) {
  expect_exact_peaks(
      {.name = "gpt", .layers = 2, .dim = 32, .heads = 2, .context = 32, .dropout = 0.1},
      {1, 0.7, 0.5});
}

// Where dropout masks are a good part of the peak: a replay of them takes nothing beside them.
TEST(MemoryBudgetPeaks, OfATinyGptAreAsPredicted) {
  expect_exact_peaks(
      {.name = "gpt", .layers = 3, .dim = 16, .heads = 2, .context = 16, .dropout = 0.1},
      {1, 0.9, 0.8, 0.75, 0.7, 0.65, 0.6, 0.57, 0.55});
}

TEST(MemoryBudgetPeaks, OfAnLstmAreAsPredicted) {
  expect_exact_peaks({.name = "lstm", .dim = 32, .context = 32}, {1, 0.95, 0.9});
}

TEST(MemoryBudgetPeaks, OfAnAudioEncoderAreAsPredicted) {
  expect_exact_peaks({.name = "audio", .layers = 2, .dim = 32, .heads = 2, .context = 2048},
                     {1, 0.9, 0.8});
}

TEST(MemoryBudgetPeaks, OfACnnAreAsPredicted) {
  expect_exact_peaks({.name = "cnn", .dim = 4, .image_size = 64}, {1, 0.9, 0.8});
}

TEST(MemoryBudgetPeaks, OfAUnetAreAsPredicted) {
  expect_exact_peaks({.name = "unet", .layers = 2, .dim = 4, .image_size = 32}, {1, 0.8, 0.7});
}

}  // namespace
}  // namespace reprise
