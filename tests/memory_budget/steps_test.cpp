// SPDX-License-Identifier: Apache-2.0
// Steps of every shape: several backwards, exceptions, threads, what outlives what.
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(MemoryBudgetSteps, AfterOneWhoseBackwardCameLateFollowThePlan) {
  Layers layers(6);
  const support::Tensors expected = layers.plain_gradients(32);
  MemoryBudget budget = MemoryBudget::share_of_peak(0.7);
  for (int step = 0; step < 3; ++step) {
    at::Tensor loss;
    {
      const auto scope = budget.step();
      loss = layers.loss(32);
    }
    loss.backward();
    loss.reset();
    EXPECT_TRUE(bitwise_equal(layers.take_gradients(), expected));
    EXPECT_EQ(live_hooks(), 0);
    EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, 32), expected));
    EXPECT_EQ(live_hooks(), 0);
  }
  EXPECT_EQ(budget.report().departures, 0);
  EXPECT_GT(budget.report().last.replayed_ops, 0);
  EXPECT_EQ(budget.report().last.peak_bytes, budget.report().last.predicted_peak_bytes);
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

// A step of which a hook of the third weight throws; it stays there.
void fail_in_backward(Layers& layers, MemoryBudget& budget) {
  const auto scope = budget.step();
  const at::Tensor loss = layers.loss(32);
  layers.weights[2].register_hook(
      [](const at::Tensor&) -> at::Tensor { throw std::runtime_error("the user's"); });
  loss.backward();
}

TEST(MemoryBudgetSteps, AnExceptionInBackwardLeavesNothingBehind) {
  Layers layers(6);
  const support::Tensors expected = layers.plain_gradients(32);
  const at::Tensor drawn_from = support::default_generator_state();
  MemoryBudget budget = MemoryBudget::share_of_peak(0.7);
  for (int step = 0; step < 3; ++step) {
    EXPECT_THROW(fail_in_backward(layers, budget), std::runtime_error);
    EXPECT_TRUE(bitwise_equal(support::default_generator_state(), drawn_from));
    EXPECT_TRUE(c10::GradMode::is_enabled());
    layers.weights[2].remove_hook(static_cast<unsigned>(step));
    layers.take_gradients();
    // Nodes that were to run next are in a queue of torch's until then.
    torch::ones({1}).requires_grad_().sum().backward();
    EXPECT_EQ(live_hooks(), 0);
    EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, 32), expected));
    EXPECT_EQ(live_hooks(), 0);
  }
  EXPECT_EQ(budget.report().departures, 0);
  EXPECT_GT(budget.report().last.replayed_ops, 0);
  EXPECT_EQ(budget.report().last.peak_bytes, budget.report().last.predicted_peak_bytes);
}

// What half a backward needs is no measure for the steps that come.
TEST(MemoryBudgetSteps, AnExceptionInTheFirstBackwardIsNotPlannedFor) {
  Layers layers(6);
  MemoryBudget budget = MemoryBudget::share_of_peak(0.7);
  EXPECT_THROW(fail_in_backward(layers, budget), std::runtime_error);
  EXPECT_FALSE(budget.program());
  EXPECT_EQ(budget.report().unplanned_because, "an exception has ended its backward");

  layers.weights[2].remove_hook(0);
  layers.take_gradients();
  layers.gradients_under(budget, 32);
  EXPECT_TRUE(budget.program());
  EXPECT_EQ(budget.report().unplanned_because, "");
}

TEST(MemoryBudgetSteps, OfOneBudgetInTwoThreadsAtATimeAreRefused) {
  MemoryBudget budget = MemoryBudget::minimum();
  {
    const auto step = budget.step();
    std::thread([&] { EXPECT_THROW(const auto other = budget.step(), std::logic_error); }).join();
  }
  std::thread([&] { EXPECT_NO_THROW(const auto other = budget.step()); }).join();
}

TEST(MemoryBudgetSteps, OpsAfterTheBackwardAreNoPass) {
  Layers layers(6);
  MemoryBudget budget = MemoryBudget::share_of_peak(0.7);
  for (int step = 0; step < 3; ++step) {
    {
      const auto scope = budget.step();
      const at::Tensor loss = layers.loss(32);
      loss.backward();
      EXPECT_GT(loss.item<float>() + loss.detach().clone().item<float>(), 0);
    }
    layers.take_gradients();
  }
  EXPECT_EQ(budget.report().passes, 3);
  EXPECT_EQ(budget.report().planned_passes, 2);
  EXPECT_EQ(budget.report().last.peak_bytes, budget.report().last.predicted_peak_bytes);
  EXPECT_EQ(budget.report().unplanned_because, "");
}

struct Cube : torch::autograd::Function<Cube> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x) {
    context->save_for_backward({x, x * 2});
    return x.detach().pow(3);
  }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               const torch::autograd::tensor_list& gradients) {
    const auto saved = context->get_saved_variables();
    return {gradients[0] * saved[0] * saved[1] * 1.5};
  }
};

// No op of its node follows what it saves, and none comes between it and the next pass.
TEST(MemoryBudgetSteps, ANodeThatSavesLastEndsItsPass) {
  const at::Tensor w = torch::linspace(1, 2, 4).requires_grad_();
  const at::Tensor one = torch::ones({4});
  MemoryBudget budget = MemoryBudget::share_of_peak(1);
  for (int step = 0; step < 3; ++step) {
    w.mutable_grad() = at::Tensor();
    {
      const auto scope = budget.step();
      for (int i = 0; i < 2; ++i) {
        Cube::apply(torch::ones({4}) * w).backward(one);
      }
    }
    EXPECT_TRUE(at::allclose(w.grad(), w.detach().square() * 6));
  }
  EXPECT_EQ(live_hooks(), 0);
}

// Memory that ops fill part by part.
TEST(MemoryBudgetSteps, ABufferThatIsFilledBySlicesIsPlanned) {
  const at::Tensor w = torch::linspace(-1, 1, 64 * 64).view({64, 64}).requires_grad_();
  const auto run = [&] {
    at::Tensor h = torch::ones({8, 64});
    at::Tensor all = torch::empty({4, 8, 64});
    for (int i = 0; i < 4; ++i) {
      h = h.mm(w).tanh();
      all[i] = h;
    }
    at::Tensor out = all.sin().matmul(w);
    all.reset();
    out.square().sum().backward();
  };
  const auto take = [&] { return std::exchange(w.mutable_grad(), at::Tensor()); };
  run();
  const at::Tensor expected = take();
  for (const double share : {1.0, 0.7}) {
    MemoryBudget budget = MemoryBudget::share_of_peak(share, {.is_hard = false});
    for (int step = 0; step < 3; ++step) {
      {
        const auto scope = budget.step();
        run();
      }
      EXPECT_TRUE(at::equal(take(), expected)) << share << ", step " << step;
      EXPECT_EQ(live_hooks(), 0);
    }
    const BudgetReport report = budget.report();
    EXPECT_EQ(report.unplanned_because, "");
    EXPECT_EQ(report.planned_passes, 2);
    EXPECT_EQ(report.last.peak_bytes, report.last.predicted_peak_bytes) << report.text();
    EXPECT_EQ(report.last.replayed_ops > 0, share < 1) << report.text();
  }
}

}  // namespace
}  // namespace reprise
