// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/lower_sets.h"

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr double kNever = std::numeric_limits<double>::infinity();

std::vector<Layer> unit_layers(std::size_t count) {
  return std::vector<Layer>(count, Layer{.forward_us = 1, .output_bytes = 1});
}

// Budgets at which the least overhead of a unit chain falls, and what it falls to.
std::vector<std::pair<std::int64_t, double>> overheads_of(std::size_t count) {
  std::vector<std::pair<std::int64_t, double>> falls;
  for (std::int64_t budget = 2; budget <= 2 * static_cast<std::int64_t>(count); ++budget) {
    const auto strategy = plan_canonical(unit_layers(count), budget);
    if (strategy && (falls.empty() || falls.back().second != strategy->overhead_us)) {
      falls.emplace_back(budget, strategy->overhead_us);
    }
  }
  return falls;
}

std::vector<Layer> random_layers(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Layer> layers(1 + random() % 10);
  for (Layer& layer : layers) {
    layer = {.forward_us = static_cast<double>(random() % 10),
             .output_bytes = static_cast<std::int64_t>(random() % 8)};
  }
  return layers;
}

// The least overhead of every way to cut, each judged by the definitions.
double least_overhead_us(const std::vector<Layer>& layers, std::int64_t budget) {
  const std::size_t count = layers.size();
  double best = kNever;
  for (unsigned cuts = 0; cuts < 1U << (count - 1); ++cuts) {
    double overhead_us = 0;
    std::int64_t kept = 0;
    std::int64_t peak = 0;
    std::int64_t block = 0;
    for (std::size_t i = 0; i < count; ++i) {
      block += layers[i].output_bytes;
      const bool is_last = i + 1 == count;
      const bool is_cut = !is_last && (cuts >> i & 1U) != 0;
      overhead_us += is_cut ? 0 : layers[i].forward_us;
      if (is_cut || is_last) {
        peak = std::max(peak, kept + 2 * block + (is_last ? 0 : layers[i + 1].output_bytes));
        kept += layers[i].output_bytes;
        block = 0;
      }
    }
    best = peak <= budget ? std::min(best, overhead_us) : best;
  }
  return best;
}

std::int64_t least_bytes(const std::vector<std::int64_t>& bytes) {
  const std::size_t count = bytes.size();
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  for (unsigned kept = 0; kept < 1U << count; ++kept) {
    if ((kept & 1U) == 0 || (kept >> (count - 1) & 1U) == 0) {
      continue;
    }
    std::int64_t total = 0;
    std::int64_t between = 0;
    std::int64_t most = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_kept = (kept >> i & 1U) != 0;
      total += is_kept ? bytes[i] : 0;
      between = is_kept ? 0 : between + bytes[i];
      most = std::max(most, between);
    }
    best = std::min(best, total + most);
  }
  return best;
}

TEST(CanonicalStrategy, HasTheOverheadsOfUnitChains) {
  EXPECT_THAT(overheads_of(4), ElementsAre(Pair(5, 1)));
  EXPECT_THAT(overheads_of(8), ElementsAre(Pair(7, 3), Pair(8, 2), Pair(9, 1)));
  EXPECT_THAT(overheads_of(10),
              ElementsAre(Pair(7, 5), Pair(8, 4), Pair(9, 3), Pair(10, 2), Pair(11, 1)));
  EXPECT_THAT(overheads_of(12), ElementsAre(Pair(8, 6), Pair(9, 5), Pair(10, 4), Pair(11, 3),
                                            Pair(12, 2), Pair(13, 1)));
}

TEST(CanonicalStrategy, KeepsTheLastOutputOfEachBlock) {
  // Blocks of 2 and 1 layers: 2 * (5 + 1) + 4, then 1 + 2 * 4.
  const std::vector<Layer> layers = {{.forward_us = 10, .output_bytes = 5},
                                     {.forward_us = 20, .output_bytes = 1},
                                     {.forward_us = 40, .output_bytes = 4}};
  EXPECT_EQ(plan_canonical(layers, 16),
            (CanonicalStrategy{.ends = {1, 2, 3}, .overhead_us = 40, .peak_bytes = 14}));
  EXPECT_EQ(plan_canonical(layers, 13), std::nullopt);
  EXPECT_EQ(plan_canonical({layers[0]}, 10),
            (CanonicalStrategy{.ends = {1}, .overhead_us = 10, .peak_bytes = 10}));
}

TEST(CanonicalStrategy, EqualsBruteForceOnSmallChains) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const std::vector<Layer> layers = random_layers(seed);
    for (std::int64_t budget = 0; budget <= 60; budget += 4) {
      SCOPED_TRACE(budget);
      const auto strategy = plan_canonical(layers, budget);
      EXPECT_EQ(strategy ? strategy->overhead_us : kNever, least_overhead_us(layers, budget));
      EXPECT_LE(strategy ? strategy->peak_bytes : 0, budget);
    }
  }
}

TEST(LeastMemory, CutsAUnitChainEvenly) {
  // 6 kept and 2 between each two are as good as 4 and 4: the one that recomputes less.
  const LeastMemory least = least_memory(std::vector<std::int64_t>(16, 1));
  EXPECT_THAT(least.kept, ElementsAre(0, 3, 6, 9, 12, 15));
  EXPECT_EQ(least.kept_bytes, 6);
  EXPECT_EQ(least.between_bytes, 2);
}

TEST(LeastMemory, KeepsSmallOutputsAndRecomputesLargeOnes) {
  EXPECT_EQ(least_memory({1, 50, 1, 60, 1, 40, 1}),
            (LeastMemory{.kept = {0, 2, 4, 6}, .kept_bytes = 4, .between_bytes = 60}));
}

TEST(LeastMemory, HandlesShortChains) {
  EXPECT_EQ(least_memory({7}), (LeastMemory{.kept = {0}, .kept_bytes = 7, .between_bytes = 0}));
  EXPECT_EQ(least_memory({7, 8}),
            (LeastMemory{.kept = {0, 1}, .kept_bytes = 15, .between_bytes = 0}));
}

TEST(LeastMemory, EqualsBruteForceOnSmallChains) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<std::int64_t> bytes;
    for (const Layer& layer : random_layers(seed)) {
      bytes.push_back(layer.output_bytes);
    }
    const LeastMemory least = least_memory(bytes);
    EXPECT_EQ(least.kept_bytes + least.between_bytes, least_bytes(bytes));
  }
}

TEST(LowerSets, RejectImpossibleInput) {
  EXPECT_THROW(plan_canonical({}, 5), std::invalid_argument);
  EXPECT_THROW(plan_canonical({{.forward_us = kNever, .output_bytes = 1}}, 5),
               std::invalid_argument);
  EXPECT_THROW(plan_canonical({{.forward_us = 1, .output_bytes = -1}}, 5), std::invalid_argument);
  EXPECT_THROW(least_memory({}), std::invalid_argument);
  EXPECT_THROW(least_memory({1, -1}), std::invalid_argument);
}

}  // namespace
}  // namespace reprise::plan
