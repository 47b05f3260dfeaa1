// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/dtr/scores.h"

#include <cmath>

#include <gtest/gtest.h>

namespace reprise::plan::dtr {
namespace {

constexpr Facts kFacts{.cost_us = 6, .neighbourhood_us = 18, .bytes = 4, .staleness_us = 3};

TEST(Scores, AreThePublishedFormulas) {
  EXPECT_EQ(h_dtr(kFacts), 2);  // (6 + 18) / (4 * 3)
  EXPECT_EQ(h_neighbourhood(kFacts), 24);
  EXPECT_EQ(h_local(kFacts), 0.5);
  EXPECT_EQ(h_lru(kFacts), 1.0 / 3);
  EXPECT_EQ(h_size(kFacts), 0.25);
  EXPECT_EQ(h_msps(kFacts), 6);
}

TEST(Scores, AreChosenByName) {
  EXPECT_EQ(evaluate(Score::kDtr, kFacts), 2);
  EXPECT_EQ(evaluate(Score::kEq, kFacts), 2);
  EXPECT_EQ(evaluate(Score::kNeighbourhood, kFacts), 24);
  EXPECT_EQ(evaluate(Score::kLocal, kFacts), 0.5);
  EXPECT_EQ(evaluate(Score::kLru, kFacts), 1.0 / 3);
  EXPECT_EQ(evaluate(Score::kSize, kFacts), 0.25);
  EXPECT_EQ(evaluate(Score::kMsps, kFacts), 6);
  EXPECT_EQ(score_names()[static_cast<std::size_t>(Score::kMsps)], "msps");
}

TEST(Scores, AreFiniteForAValueThatWasJustRead) {
  EXPECT_TRUE(std::isfinite(h_dtr({.cost_us = 1, .bytes = 1, .staleness_us = 0})));
  EXPECT_TRUE(std::isfinite(h_lru({.staleness_us = 0})));
}

TEST(Scores, NeverEvictAValueWithoutBytesForItsSize) {
  EXPECT_TRUE(std::isinf(h_size({.cost_us = 1, .bytes = 0, .staleness_us = 1})));
  EXPECT_TRUE(std::isinf(h_dtr({.cost_us = 1, .bytes = 0, .staleness_us = 1})));
}

}  // namespace
}  // namespace reprise::plan::dtr
