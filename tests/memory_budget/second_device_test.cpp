// SPDX-License-Identifier: Apache-2.0
// Budgets of another device than the CPU. An executable of its own, as a device is registered for
// the whole process.
#include <cstdint>
#include <stdexcept>

#include <c10/core/Allocator.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/memory.h"
#include "reprise/memory_budget.h"
#include "tests/memory_budget/layers.h"
#include "tests/support/second_device.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::Layers;
using support::second_device;
using support::Tensors;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::Field;

constexpr std::int64_t kRows = 256;
constexpr std::int64_t kValueBytes = kRows * 64 * 8;

at::TensorOptions there() { return at::TensorOptions().dtype(at::kDouble).device(second_device()); }

MemoryBudgetOptions of_second_device() { return {.device = second_device(), .iterations = 20}; }

TEST(SecondDeviceBudget, APlannedStepIsBitEqualAndTakesWhatWasPredicted) {
  Layers layers(6, there());
  const Tensors expected = layers.plain_gradients(kRows);
  for (const double share : {1.0, 0.8, 0.6}) {
    SCOPED_TRACE(share);
    MemoryBudget budget = MemoryBudget::share_of_peak(share, of_second_device());
    for (int step = 0; step < 3; ++step) {
      EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, kRows), expected));
      EXPECT_EQ(live_hooks(), 0);
    }
    const BudgetReport report = budget.report();
    EXPECT_EQ(report.planned_passes, 2) << report.unplanned_because;
    EXPECT_EQ(report.departures, 0);
    EXPECT_EQ(report.last.peak_bytes, report.last.predicted_peak_bytes);
    EXPECT_LE(report.last.peak_bytes, report.last.limit_bytes);
    EXPECT_EQ(report.last.replayed_ops > 0, share < 1);
    EXPECT_EQ(budget.program()->device, second_device().str());
    EXPECT_GT(budget.program()->forward_us, 0);
    EXPECT_GT(budget.program()->step_us, budget.program()->forward_us);
  }
}

TEST(SecondDeviceBudget, TheSmallestOneLeavesNothingThatCouldGo) {
  Layers layers(8, there());
  const Tensors expected = layers.plain_gradients(kRows);
  MemoryBudget budget = MemoryBudget::minimum(of_second_device());
  for (int step = 0; step < 3; ++step) {
    EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, kRows), expected));
  }
  const PassReport last = budget.report().last;
  EXPECT_EQ(last.peak_bytes, last.predicted_peak_bytes);
  EXPECT_LT(last.peak_bytes, last.keep_all_peak_bytes * 6 / 10);
  EXPECT_GT(last.replayed_ops, 0);
  EXPECT_EQ(live_hooks(), 0);
}

TEST(SecondDeviceBudget, BytesOnTheCpuCountNothing) {
  Layers layers(6, there());
  const Tensors expected = layers.plain_gradients(kRows);
  MemoryBudget budget = MemoryBudget::share_of_peak(0.7, of_second_device());
  layers.gradients_under(budget, kRows);
  layers.gradients_under(budget, kRows);
  const BudgetReport before = budget.report();
  {
    const auto step = budget.step();
    const at::Tensor loss = layers.loss(kRows);
    const c10::DataPtr large = c10::GetAllocator(c10::kCPU)->allocate(std::size_t{64} << 20);
    loss.backward();
  }
  EXPECT_TRUE(bitwise_equal(layers.take_gradients(), expected));
  EXPECT_EQ(budget.report().last.peak_bytes, before.last.peak_bytes);
  EXPECT_EQ(budget.report().last.replayed_ops, before.last.replayed_ops);
  EXPECT_EQ(budget.report().departures, 0);
  EXPECT_EQ(budget.report().overruns, 0);
}

// What a part of a model on the CPU saves costs nothing, so no plan gives it up.
TEST(SecondDeviceBudget, ValuesOnTheCpuAreKept) {
  Layers layers(6, there());
  const auto gradients = [&](MemoryBudget* budget) {
    const auto run = [&] {
      layers.seed();
      at::Tensor h = support::ramp({kRows, 64}).to(second_device());
      for (const at::Tensor& weight : layers.weights) {
        const at::Tensor on_cpu = h.mm(weight).to(at::kCPU);
        h = torch::gelu(on_cpu.sin().exp().to(second_device()));
      }
      h.square().mean().backward();
    };
    if (budget != nullptr) {
      const auto step = budget->step();
      run();
    } else {
      run();
    }
    return layers.take_gradients();
  };
  const Tensors expected = gradients(nullptr);
  MemoryBudget budget = MemoryBudget::share_of_peak(0.7, of_second_device());
  for (int step = 0; step < 3; ++step) {
    EXPECT_TRUE(bitwise_equal(gradients(&budget), expected));
    EXPECT_EQ(live_hooks(), 0);
  }
  const BudgetReport report = budget.report();
  EXPECT_EQ(report.last.peak_bytes, report.last.predicted_peak_bytes) << report.text();
  EXPECT_LE(report.last.peak_bytes, report.last.limit_bytes);
  EXPECT_THAT(report.values,
              Contains(AllOf(Field(&ValueReport::op, "aten::exp"), Field(&ValueReport::bytes, 0),
                             Field(&ValueReport::action, plan::ValueFate::Action::kKept))))
      << report.values_text();
  EXPECT_THAT(report.values, Contains(Field(&ValueReport::bytes, kValueBytes)));

  MemoryBudgetOptions drops_all = of_second_device();
  drops_all.planner = "drop_all";
  MemoryBudget minimum = MemoryBudget::minimum(drops_all);
  for (int step = 0; step < 2; ++step) {
    EXPECT_TRUE(bitwise_equal(gradients(&minimum), expected));
  }
}

// And the other way about.
TEST(SecondDeviceBudget, OfTheCpuDoesNotCountTheOtherDevice) {
  Layers layers(6, there());
  const Tensors expected = layers.plain_gradients(kRows);
  MemoryBudget budget = MemoryBudget::share_of_peak(1);
  for (int step = 0; step < 3; ++step) {
    EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, kRows), expected));
  }
  EXPECT_EQ(budget.report().last.replayed_ops, 0);
  EXPECT_THAT(budget.report().values, Each(Field(&ValueReport::bytes, 0)));
  EXPECT_EQ(live_hooks(), 0);
}

TEST(SecondDeviceBudget, TheFirstStepMakesRoomByWhatOpsHaveTakenBefore) {
  Layers layers(12, there());
  const Tensors expected = layers.plain_gradients(kRows);
  MemoryBudget all = MemoryBudget::share_of_peak(1, of_second_device());
  layers.gradients_under(all, kRows);
  const std::int64_t peak = all.report().last.peak_bytes;
  const std::int64_t live = MemoryMeter(second_device()).live_bytes();
  const std::int64_t bytes = live + peak * 6 / 10;

  MemoryBudget budget(bytes, of_second_device());
  EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, kRows), expected));
  const BudgetReport first = budget.report();
  EXPECT_EQ(first.planned_passes, 0);
  EXPECT_GT(first.last.evictions, 0);
  EXPECT_GT(first.last.replayed_ops, 0);
  // What a node of backward allocates shows only when it is over.
  EXPECT_LE(first.last.total_peak_bytes, bytes + 3 * kValueBytes);

  EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, kRows), expected));
  EXPECT_EQ(budget.report().planned_passes, 1);
  EXPECT_LE(budget.report().last.total_peak_bytes, bytes);
  EXPECT_EQ(live_hooks(), 0);
}

TEST(SecondDeviceBudget, AnExceptionInBackwardLeavesNothingBehind) {
  Layers layers(6, there());
  const Tensors expected = layers.plain_gradients(kRows);
  MemoryBudget budget = MemoryBudget::share_of_peak(0.7, of_second_device());
  for (int step = 0; step < 3; ++step) {
    const auto failing_step = [&] {
      const auto scope = budget.step();
      const at::Tensor loss = layers.loss(kRows);
      layers.weights[2].register_hook(
          [](const at::Tensor&) -> at::Tensor { throw std::runtime_error("the user's"); });
      loss.backward();
    };
    EXPECT_THROW(failing_step(), std::runtime_error);
    EXPECT_EQ(live_hooks(), 0);
    layers.weights[2].remove_hook(static_cast<unsigned>(step));
    layers.take_gradients();
    EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, kRows), expected));
  }
  EXPECT_EQ(budget.report().last.peak_bytes, budget.report().last.predicted_peak_bytes);
}

}  // namespace
}  // namespace reprise
