// SPDX-License-Identifier: Apache-2.0
// A thousand steps take what three take: live tensors, hooks, and the heap beside them.
#include <malloc.h>

#include <cstdint>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/memory.h"
#include "reprise/memory_budget.h"
#include "tests/support/training.h"

namespace reprise {
namespace {

constexpr std::int64_t kRows = 32;
constexpr std::int64_t kOtherRows = 24;

// What a heap may grow by: an arena of another thread, a vector that has doubled once more.
constexpr std::int64_t kMostHeapGrowth = std::int64_t{16} << 10;

// Layers with statistics and random masks, and an optimizer with a state.
class Training {
 public:
  Training() {
    torch::manual_seed(1);
    for (int i = 0; i < 4; ++i) {
      model_->push_back(torch::nn::Linear(32, 32));
      model_->push_back(torch::nn::BatchNorm1d(32));
      model_->push_back(torch::nn::ReLU());
      model_->push_back(torch::nn::Dropout(0.1));
    }
    optimizer_.emplace(model_->parameters(), torch::optim::SGDOptions(1e-3).momentum(.9));
  }

  void step(MemoryBudget& budget, std::int64_t rows) {
    optimizer_->zero_grad();
    {
      const auto scope = budget.step();
      model_->forward(torch::randn({rows, 32})).square().mean().backward();
    }
    optimizer_->step();
  }

 private:
  torch::nn::Sequential model_;
  std::optional<torch::optim::SGD> optimizer_;
};

std::int64_t heap_bytes() { return static_cast<std::int64_t>(mallinfo2().uordblks); }

TEST(ManySteps, TakeWhatThreeTake) {
  Training training;
  MemoryBudget budget = MemoryBudget::share_of_peak(.6, {.iterations = 20, .is_hard = false});
  const MemoryMeter meter;
  std::int64_t live_bytes = 0;
  std::int64_t heap_at_100 = 0;
  for (int step = 1; step <= 1000; ++step) {
    // Departs, is recorded, then both have a plan.
    training.step(budget, step == 50 || step == 51 || step % 10 == 0 ? kOtherRows : kRows);
    ASSERT_EQ(live_hooks(), 0);
    if (step == 3) {
      live_bytes = meter.live_bytes();
    }
    if (step > 3) {
      ASSERT_EQ(meter.live_bytes(), live_bytes) << "after step " << step;
    }
    if (step == 100) {
      heap_at_100 = heap_bytes();
    }
  }
  EXPECT_LE(heap_bytes() - heap_at_100, kMostHeapGrowth);
  const BudgetReport report = budget.report();
  EXPECT_EQ(report.steps, 1000);
  EXPECT_EQ(report.departures, 2);
  EXPECT_EQ(report.planned_passes, 998);  // all but the two that were recorded
  EXPECT_GT(report.last.replayed_ops, 0);
  EXPECT_EQ(report.last.peak_bytes, report.last.predicted_peak_bytes);
}

TEST(ManySteps, OfEverNewShapesRememberAFew) {
  Training training;
  MemoryBudget budget =
      MemoryBudget::share_of_peak(.6, {.iterations = 3, .is_hard = false, .most_passes = 3});
  const MemoryMeter meter;
  std::int64_t live_bytes = 0;
  std::int64_t heap_at_200 = 0;
  for (int step = 1; step <= 400; ++step) {
    training.step(budget, 2 + step / 4 % 40);
    ASSERT_EQ(live_hooks(), 0);
    if (step == 3) {
      live_bytes = meter.live_bytes();
    }
    if (step > 3) {
      ASSERT_EQ(meter.live_bytes(), live_bytes) << "after step " << step;
    }
    if (step == 200) {
      heap_at_200 = heap_bytes();
    }
  }
  EXPECT_LE(heap_bytes() - heap_at_200, kMostHeapGrowth);
  EXPECT_GT(budget.report().departures, 50);
}

}  // namespace
}  // namespace reprise
