// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/knapsack.h"

#include <algorithm>
#include <random>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<KnapsackItem> items_of(const std::vector<std::int64_t>& bytes,
                                   const std::vector<double>& saved_us) {
  std::vector<KnapsackItem> items;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    items.push_back({.bytes = bytes[i], .saved_us = saved_us[i]});
  }
  return items;
}

KnapsackChoice solve(const std::vector<std::int64_t>& bytes, const std::vector<double>& saved_us,
                     std::int64_t capacity) {
  return solve_knapsack(items_of(bytes, saved_us), capacity);
}

KnapsackChoice choice(std::vector<int> items, std::int64_t bytes, double saved_us) {
  return {.items = std::move(items), .bytes = bytes, .saved_us = saved_us};
}

TEST(Knapsack, SavesTheMostTimeThatFits) {
  EXPECT_EQ(solve({2, 3, 2, 4, 1}, {1, 2, 1, 3, 2}, 5), choice({3, 4}, 5, 5));
  EXPECT_EQ(solve({1, 1, 1}, {1, 2, 3}, 3), choice({0, 1, 2}, 3, 6));
  EXPECT_EQ(solve({1, 2, 3}, {10, 20, 30}, 1), choice({0}, 1, 10));
  EXPECT_EQ(solve({100, 200, 300}, {1000, 2000, 3000}, 500), choice({1, 2}, 500, 5000));
  EXPECT_EQ(solve({1, 3, 4}, {1, 2, 3}, 4).saved_us, 3);
}

TEST(Knapsack, SavesNothingIfNothingFits) {
  EXPECT_EQ(solve({10, 20, 30}, {1, 2, 3}, 5), choice({}, 0, 0));
}

TEST(Knapsack, TakesWhatHasNoBytes) {
  EXPECT_EQ(solve({0, 2, 3}, {5, 2, 3}, 5), choice({0, 1, 2}, 5, 10));
  EXPECT_EQ(solve({0, 0, 0}, {1, 2, 3}, 0), choice({0, 1, 2}, 0, 6));
}

TEST(Knapsack, LeavesWhatSavesNothing) {
  EXPECT_EQ(solve({1, 2, 3}, {0, 2, 3}, 3), choice({2}, 3, 3));
}

TEST(Knapsack, EqualsBruteForceOnFewItems) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<KnapsackItem> items(1 + random() % 10);
    for (KnapsackItem& item : items) {
      item = {.bytes = static_cast<std::int64_t>(random() % 12),
              .saved_us = static_cast<double>(random() % 12)};
    }
    const auto capacity = static_cast<std::int64_t>(random() % 40);
    double best_us = 0;
    for (unsigned taken = 0; taken < 1U << items.size(); ++taken) {
      std::int64_t bytes = 0;
      double saved_us = 0;
      for (std::size_t i = 0; i < items.size(); ++i) {
        bytes += (taken >> i & 1U) != 0 ? items[i].bytes : 0;
        saved_us += (taken >> i & 1U) != 0 ? items[i].saved_us : 0;
      }
      best_us = bytes <= capacity ? std::max(best_us, saved_us) : best_us;
    }

    const KnapsackChoice best = solve_knapsack(items, capacity);
    const KnapsackChoice coarse = solve_knapsack(items, capacity, 5);

    EXPECT_EQ(best.saved_us, best_us);
    EXPECT_LE(best.bytes, capacity);
    EXPECT_LE(coarse.bytes, capacity);
    EXPECT_LE(coarse.saved_us, best_us);
  }
}

TEST(Knapsack, CountsLargeSizesInUnits) {
  constexpr std::int64_t kGib = std::int64_t{1} << 30;
  // 1 + 4, not 1 + 3; 3 + 4 is too much.
  EXPECT_THAT(solve({kGib, 3 * kGib, 4 * kGib}, {1, 5, 6}, 5 * kGib).items, ElementsAre(0, 2));
  EXPECT_THAT(solve({kGib}, {1}, kGib - 1).items, IsEmpty());
  // One byte more makes the sizes prime to each other: rounded up, the full capacity is too small.
  EXPECT_THAT(solve({kGib + 1, 3 * kGib, 4 * kGib}, {1, 5, 6}, 5 * kGib + 1).saved_us, 6);
  EXPECT_THAT(solve({kGib + 1, 3 * kGib, 4 * kGib}, {1, 5, 6}, 5 * kGib + (1 << 24)).saved_us, 7);
}

TEST(Knapsack, RejectsImpossibleInput) {
  EXPECT_THROW(solve({1}, {1}, -1), std::invalid_argument);
  EXPECT_THROW(solve({-1}, {1}, 1), std::invalid_argument);
  EXPECT_THROW(solve({1}, {-1}, 1), std::invalid_argument);
  EXPECT_THROW(solve_knapsack({}, 1, 0), std::invalid_argument);
}

}  // namespace
}  // namespace reprise::plan
