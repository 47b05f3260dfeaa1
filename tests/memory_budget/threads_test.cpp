// SPDX-License-Identifier: Apache-2.0
// Budgets in several threads at once, backward on another thread, and workers that load data.
#include <functional>
#include <future>
#include <stdexcept>
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
using support::Tensors;

// Runs `work` on a thread of its own; its exception is ours.
void on_another_thread(const std::function<void()>& work) {
  std::async(std::launch::async, work).get();
}

TEST(BudgetThreads, BackwardMayRunOnAnotherThread) {
  Layers layers(6);
  const Tensors expected = layers.plain_gradients(32);
  const auto run = [&](bool is_elsewhere) {
    MemoryBudget budget = MemoryBudget::share_of_peak(0.7, {.iterations = 20});
    for (int step = 0; step < 3; ++step) {
      {
        const auto scope = budget.step();
        const at::Tensor loss = layers.loss(32);
        if (is_elsewhere) {
          on_another_thread([&] { loss.backward(); });
        } else {
          loss.backward();
        }
      }
      EXPECT_TRUE(bitwise_equal(layers.take_gradients(), expected));
      EXPECT_EQ(live_hooks(), 0);
    }
    EXPECT_EQ(budget.report().departures, 0);
    EXPECT_EQ(budget.report().planned_passes, 2);
    EXPECT_GT(budget.report().last.replayed_ops, 0);
    EXPECT_EQ(budget.report().last.peak_bytes, budget.report().last.predicted_peak_bytes);
    EXPECT_LE(budget.report().last.peak_bytes, budget.report().last.limit_bytes);
    const plan::Program program = *budget.program();
    EXPECT_GT(program.forward_us, 0);
    EXPECT_GT(program.step_us, program.forward_us);
    return budget.report().last.keep_all_peak_bytes;
  };
  EXPECT_EQ(run(true), run(false));
}

// Nobody tells the first step, which has no plan, of what is allocated there.
TEST(BudgetThreads, ABackwardOnAnotherThreadMakesRoomToo) {
  Layers layers(12);
  const Tensors expected = layers.plain_gradients(64);
  MemoryBudget all = MemoryBudget::share_of_peak(1);
  layers.gradients_under(all, 64);
  const std::int64_t peak = all.report().last.peak_bytes;

  MemoryBudget budget = MemoryBudget::above_start(peak * 5 / 10);
  {
    const auto scope = budget.step();
    const at::Tensor loss = layers.loss(64);
    on_another_thread([&] { loss.backward(); });
  }
  EXPECT_TRUE(bitwise_equal(layers.take_gradients(), expected));
  EXPECT_EQ(live_hooks(), 0);
  EXPECT_GT(budget.report().last.replayed_ops, 0);
  EXPECT_LE(budget.report().last.peak_bytes, peak * 5 / 10 + std::int64_t{3} * 64 * 64 * 4);
}

// A model of its own for each thread; nothing in it draws from the one default generator.
struct ThreadResult {
  Tensors gradients;
  std::int64_t first_replayed_ops = 0;  // of the first step
};

ThreadResult train(int count, MemoryBudget budget) {
  std::vector<at::Tensor> weights;
  for (int i = 0; i < count; ++i) {
    weights.push_back(torch::full({64, 64}, 0.01 * (i + 1)).requires_grad_());
  }
  ThreadResult result;
  for (int step = 0; step < 4; ++step) {
    for (at::Tensor& weight : weights) {
      weight.mutable_grad() = at::Tensor();
    }
    {
      const auto scope = budget.step();
      at::Tensor h = torch::ones({32, 64});
      for (const at::Tensor& weight : weights) {
        h = torch::gelu(h.mm(weight));
      }
      h.sum().backward();
    }
    if (step == 0) {
      result.first_replayed_ops = budget.report().last.replayed_ops;
    }
  }
  for (const at::Tensor& weight : weights) {
    result.gradients.push_back(weight.grad());
  }
  return result;
}

TEST(BudgetThreads, SeveralMayEachHaveTheirOwn) {
  const auto train_small = [] { return train(6, MemoryBudget::minimum({.iterations = 5})); };
  const auto train_large = [] {
    return train(9, MemoryBudget::share_of_peak(0.8, {.iterations = 5, .is_hard = false}));
  };
  // What the others hold counts too, so that plans depend on them; but its first step has room for
  // nothing.
  const auto train_unplanned = [] {
    return train(7, MemoryBudget(1, {.iterations = 5, .is_hard = false}));
  };
  const ThreadResult small = train_small();
  const ThreadResult large = train_large();
  const ThreadResult unplanned = train_unplanned();

  auto first = std::async(std::launch::async, train_small);
  auto second = std::async(std::launch::async, train_large);
  auto third = std::async(std::launch::async, train_unplanned);
  const ThreadResult third_result = third.get();

  EXPECT_TRUE(bitwise_equal(first.get().gradients, small.gradients));
  EXPECT_TRUE(bitwise_equal(second.get().gradients, large.gradients));
  EXPECT_TRUE(bitwise_equal(third_result.gradients, unplanned.gradients));
  EXPECT_EQ(third_result.first_replayed_ops, unplanned.first_replayed_ops);
  EXPECT_GT(third_result.first_replayed_ops, 0);
  EXPECT_EQ(live_hooks(), 0);
}

TEST(BudgetThreads, AStepInsideOfAStepOfAnotherBudgetIsAnErrorOfThatThreadAlone) {
  MemoryBudget outer(gib(1));
  MemoryBudget inner(gib(1));
  Layers layers(2);
  const Tensors expected = layers.plain_gradients(8);
  {
    const auto step = outer.step();
    EXPECT_THAT([&] { const auto refused = inner.step(); },
                testing::ThrowsMessage<std::logic_error>(
                    testing::HasSubstr("this thread is in a step already")));
    on_another_thread([&] { EXPECT_NO_THROW(const auto allowed = inner.step()); });
    layers.loss(8).backward();
  }
  EXPECT_TRUE(bitwise_equal(layers.take_gradients(), expected));
  EXPECT_EQ(outer.report().passes, 1);
  EXPECT_EQ(inner.report().passes, 0);
  EXPECT_TRUE(bitwise_equal(layers.gradients_under(inner, 8), expected));
  EXPECT_EQ(live_hooks(), 0);
}

constexpr std::size_t kExamples = 256;

// They are told apart by their position.
class Numbers : public torch::data::datasets::Dataset<Numbers> {
 public:
  torch::data::Example<> get(std::size_t index) override {
    return {torch::full({64}, 0.01 * static_cast<double>(index + 1)), torch::zeros({1})};
  }
  c10::optional<std::size_t> size() const override { return kExamples; }
};

TEST(BudgetThreads, WorkersMayLoadDataInAStep) {
  const auto gradients = [](std::size_t workers, MemoryBudget* budget) {
    Layers layers(4);
    auto loader = torch::data::make_data_loader(
        Numbers().map(torch::data::transforms::Stack<>()),
        torch::data::samplers::SequentialSampler(kExamples),
        torch::data::DataLoaderOptions(kExamples / 2).workers(workers));
    Tensors all;
    for (int epoch = 0; epoch < 3; ++epoch) {
      // In the step, so that the workers run while it does.
      const auto run = [&] {
        for (const auto& batch : *loader) {
          layers.seed();
          at::Tensor h = batch.data;
          for (const at::Tensor& weight : layers.weights) {
            h = torch::gelu(torch::dropout(h.mm(weight), 0.1, true));
          }
          h.square().mean().backward();
        }
      };
      if (budget != nullptr) {
        const auto scope = budget->step();
        run();
      } else {
        run();
      }
      const Tensors of_epoch = layers.take_gradients();
      all.insert(all.end(), of_epoch.begin(), of_epoch.end());
    }
    return all;
  };
  const Tensors expected = gradients(0, nullptr);
  MemoryBudget budget = MemoryBudget::share_of_peak(0.7, {.iterations = 5, .is_hard = false});
  EXPECT_TRUE(bitwise_equal(gradients(2, &budget), expected));
  EXPECT_EQ(live_hooks(), 0);
  EXPECT_EQ(budget.report().passes, 6);
  EXPECT_EQ(budget.report().departures, 0);
  EXPECT_GT(budget.report().last.replayed_ops, 0);
}

}  // namespace
}  // namespace reprise
