// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/rules/knapsack.h"

#include <limits>
#include <random>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::plan {
namespace {

using testing::ElementsAre;

// The published cases of PyTorch's activation memory budget: bytes, times, capacity. Sizes in
// halves are doubled.
KnapsackChoice solve(const std::vector<std::int64_t>& bytes, const std::vector<double>& saved_us,
                     std::int64_t capacity_bytes) {
  std::vector<KnapsackItem> items;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    items.push_back({.bytes = bytes[i], .saved_us = saved_us[i]});
  }
  return solve_knapsack(items, capacity_bytes);
}

TEST(Knapsack01, SolvesThePublishedCases) {
  EXPECT_EQ(solve({2, 3, 2, 4, 1}, {1, 2, 1, 3, 2}, 5), (KnapsackChoice{{3, 4}, 5, 5}));
  EXPECT_EQ(solve({1, 1, 1}, {1, 2, 3}, 3), (KnapsackChoice{{0, 1, 2}, 3, 6}));
  EXPECT_EQ(solve({10, 20, 30}, {1, 2, 3}, 5), (KnapsackChoice{{}, 0, 0}));
  EXPECT_EQ(solve({1, 2, 3}, {10, 20, 30}, 1), (KnapsackChoice{{0}, 1, 10}));
  EXPECT_EQ(solve({0, 2, 3}, {5, 2, 3}, 5), (KnapsackChoice{{0, 1, 2}, 5, 10}));
  EXPECT_EQ(solve({1, 2, 3}, {0, 2, 3}, 3), (KnapsackChoice{{2}, 3, 3}));
  EXPECT_EQ(solve({100, 200, 300}, {1000, 2000, 3000}, 500), (KnapsackChoice{{1, 2}, 500, 5000}));
  EXPECT_EQ(solve({1, 3, 4}, {1, 2, 3}, 4), (KnapsackChoice{{0, 1}, 4, 3}));
  EXPECT_EQ(solve({0, 0, 0}, {1, 2, 3}, 0), (KnapsackChoice{{0, 1, 2}, 0, 6}));
}

TEST(Knapsack01, OfNoItemsTakesNothing) { EXPECT_EQ(solve({}, {}, 7), KnapsackChoice{}); }

double best_of_all_subsets(const std::vector<KnapsackItem>& items, std::int64_t capacity_bytes) {
  double best = 0;
  for (unsigned subset = 0; subset < 1U << items.size(); ++subset) {
    std::int64_t bytes = 0;
    double saved_us = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      bytes += (subset >> i & 1U) != 0 ? items[i].bytes : 0;
      saved_us += (subset >> i & 1U) != 0 ? items[i].saved_us : 0;
    }
    best = bytes <= capacity_bytes ? std::max(best, saved_us) : best;
  }
  return best;
}

TEST(Knapsack01, EqualsTheBestOfAllSubsets) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    std::vector<KnapsackItem> items(10);
    for (KnapsackItem& item : items) {
      item = {.bytes = static_cast<std::int64_t>(random() % 20),
              .saved_us = static_cast<double>(random() % 20)};
    }
    const KnapsackChoice choice = solve_knapsack(items, 40);
    EXPECT_EQ(choice.saved_us, best_of_all_subsets(items, 40));
    EXPECT_LE(choice.bytes, 40);
  }
}

TEST(Knapsack01, StaysWithinTheCapacityAndNearTheBestWithFewStates) {
  std::mt19937 random(1);
  std::vector<KnapsackItem> items(200);
  for (KnapsackItem& item : items) {
    item = {.bytes = static_cast<std::int64_t>(random() % 100'000 + 1),
            .saved_us = static_cast<double>(random() % 1'000)};
  }
  const KnapsackChoice exact = solve_knapsack(items, 3'000'000, 10'000'000);
  const KnapsackChoice near = solve_knapsack(items, 3'000'000, 1'000);
  EXPECT_LE(near.bytes, 3'000'000);
  EXPECT_LE(near.saved_us, exact.saved_us);
  EXPECT_GT(near.saved_us, 0.99 * exact.saved_us);
}

TEST(Knapsack01, RejectsWhatIsNoSizeOrTime) {
  EXPECT_THROW(solve({1}, {1}, -1), std::invalid_argument);
  EXPECT_THROW(solve({-1}, {1}, 1), std::invalid_argument);
  EXPECT_THROW(solve({1}, {-1}, 1), std::invalid_argument);
  EXPECT_THROW(solve({1}, {std::numeric_limits<double>::infinity()}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace reprise::plan
