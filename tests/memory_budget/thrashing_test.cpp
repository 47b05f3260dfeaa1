// SPDX-License-Identifier: Apache-2.0
// Steps without a plan, with so little room that they make the same values again and again.
#include <cstdint>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/memory_budget.h"
#include "reprise/zoo/make_model.h"
#include "tests/memory_budget/layers.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::Layers;
using support::Tensors;
using testing::HasSubstr;
using testing::Not;

constexpr int kLayers = 100;
constexpr std::int64_t kRows = 16;
constexpr std::int64_t kManyRows = 256;  // values are larger than gradients
// A linear map, the four ops that a dropout is, gelu; and the loss.
constexpr std::int64_t kOps = 6 * kLayers + 2;
// Until it is told of; what the node under way takes then; and each value once more.
constexpr std::int64_t kMostReplays = (10 + 1 + 1) * kOps;

MemoryBudget a_byte(double most_replays_per_op = 10) {
  return MemoryBudget(
      1, {.iterations = 3, .is_hard = false, .most_replays_per_op = most_replays_per_op});
}

TEST(Thrashing, OfADeepChainIsToldOfAndEnds) {
  Layers layers(kLayers);
  const Tensors expected = layers.plain_gradients(kRows);
  MemoryBudget budget = a_byte();
  EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, kRows), expected));

  const BudgetReport report = budget.report();
  EXPECT_TRUE(report.last.is_thrashing);
  EXPECT_EQ(report.thrashed, 1);
  EXPECT_EQ(report.overruns, 1);
  EXPECT_THAT(report.text(), HasSubstr("\nthrashing  "));
  EXPECT_GT(report.last.replayed_ops, 10 * kOps);
  EXPECT_LE(report.last.replayed_ops, kMostReplays);
  EXPECT_EQ(live_hooks(), 0);

  EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, kRows), expected));
  EXPECT_FALSE(budget.report().last.is_thrashing);
  EXPECT_EQ(budget.report().thrashed, 1);
  EXPECT_EQ(budget.report().last.peak_bytes, budget.report().last.predicted_peak_bytes);
  EXPECT_THAT(budget.report().text(), Not(HasSubstr("thrashing")));
  EXPECT_EQ(live_hooks(), 0);
}

TEST(Thrashing, OfAHardBudgetEndsTooAndItsPlanIsRefused) {
  Layers layers(kLayers);
  const Tensors expected = layers.plain_gradients(kRows);
  MemoryBudget budget(1, {.iterations = 3});
  EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, kRows), expected));
  EXPECT_TRUE(budget.report().last.is_thrashing);
  EXPECT_THROW(layers.gradients_under(budget, kRows), BudgetError);
  EXPECT_EQ(live_hooks(), 0);
}

TEST(Thrashing, IsNotWhatABudgetOfAThirdDoes) {
  Layers layers(kLayers);
  const Tensors expected = layers.plain_gradients(kManyRows);
  MemoryBudget all = MemoryBudget::share_of_peak(1);
  layers.gradients_under(all, kManyRows);
  const std::int64_t peak = all.report().last.peak_bytes;

  MemoryBudget budget = MemoryBudget::above_start(peak / 3);
  EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, kManyRows), expected));
  EXPECT_GT(budget.report().last.evictions, 0);
  EXPECT_FALSE(budget.report().last.is_thrashing);
  EXPECT_EQ(budget.report().overruns, 0);
  EXPECT_LE(budget.report().last.replayed_ops, kOps);
  EXPECT_EQ(live_hooks(), 0);
}

TEST(Thrashing, IsForNobodyWhoWantsTheBytesAtAnyPrice) {
  Layers layers(kLayers / 2);
  const Tensors expected = layers.plain_gradients(kManyRows);
  MemoryBudget budget = a_byte(std::numeric_limits<double>::infinity());
  EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, kManyRows), expected));
  const PassReport unlimited = budget.report().last;
  EXPECT_FALSE(unlimited.is_thrashing);
  EXPECT_GT(unlimited.replayed_ops, kMostReplays);

  MemoryBudget limited = a_byte();
  layers.gradients_under(limited, kManyRows);
  EXPECT_LT(unlimited.peak_bytes, limited.report().last.peak_bytes);
  EXPECT_EQ(live_hooks(), 0);
}

TEST(Thrashing, OfAPassThatHasLeftItsPlanIsToldOfAsWell) {
  Layers layers(kLayers);
  const Tensors expected = layers.plain_gradients(kRows + 4);
  MemoryBudget budget = a_byte();
  layers.gradients_under(budget, kRows);
  layers.gradients_under(budget, kRows);
  EXPECT_TRUE(bitwise_equal(layers.gradients_under(budget, kRows + 4), expected));
  const BudgetReport report = budget.report();
  EXPECT_TRUE(report.last.has_departed);
  EXPECT_TRUE(report.last.is_thrashing);
  EXPECT_GT(report.last.evictions, 0);
  EXPECT_EQ(report.thrashed, 2);
  EXPECT_LE(report.last.replayed_ops, kMostReplays);
  EXPECT_EQ(live_hooks(), 0);
}

// Each backward over a graph may replay it: that is no thrashing.
TEST(Thrashing, IsCountedAnewInEachBackward) {
  Layers layers(4);
  MemoryBudget budget = a_byte();
  {
    const auto step = budget.step();
    const at::Tensor loss = layers.loss(kRows);
    for (int i = 0; i < 30; ++i) {
      loss.backward({}, /*retain_graph=*/true);
    }
  }
  EXPECT_GT(budget.report().last.replayed_ops, std::int64_t{10} * (4 * 6 + 2));
  EXPECT_FALSE(budget.report().last.is_thrashing);
  EXPECT_EQ(live_hooks(), 0);
}

TEST(Thrashing, OfAnLstmIsToldOfAndEnds) {
  zoo::ModelSpec spec{.name = "lstm", .dim = 16, .context = 48};
  const auto data = zoo::make_data(spec, {.batch_size = 2});
  const zoo::Batch batch = data->batch(zoo::Split::kTrain, 0);
  torch::manual_seed(1);
  const auto model = zoo::make_model(spec);
  const auto gradients_of = [&](MemoryBudget* budget) {
    model->zero_grad();
    if (budget != nullptr) {
      const auto scope = budget->step();
      model->loss(batch).backward();
    } else {
      model->loss(batch).backward();
    }
    Tensors gradients;
    for (const at::Tensor& parameter : model->parameters()) {
      gradients.push_back(parameter.grad());
    }
    return gradients;
  };
  const Tensors expected = gradients_of(nullptr);
  MemoryBudget budget = a_byte();
  EXPECT_TRUE(bitwise_equal(gradients_of(&budget), expected));
  EXPECT_TRUE(budget.report().last.is_thrashing);
  EXPECT_TRUE(bitwise_equal(gradients_of(&budget), expected));
  EXPECT_FALSE(budget.report().last.is_thrashing);
  EXPECT_EQ(budget.report().last.peak_bytes, budget.report().last.predicted_peak_bytes);
  EXPECT_EQ(live_hooks(), 0);
}

}  // namespace
}  // namespace reprise
