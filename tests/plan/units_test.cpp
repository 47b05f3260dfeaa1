// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/units.h"

#include <limits>

#include <gtest/gtest.h>

namespace reprise::plan {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(UnitFor, IsTheCommonDivisorWhileThatIsFineEnough) {
  EXPECT_EQ(unit_for({12, 20, 0}, 40, 10), 4);
  EXPECT_EQ(unit_for({12, 20, 0}, 43, 10), 4);
  EXPECT_EQ(unit_for({7, 20}, 40, 40), 1);
}

TEST(UnitFor, IsAMultipleOfTheDivisorBeyond) {
  EXPECT_EQ(unit_for({12, 20}, 44, 10), 8);
  EXPECT_EQ(unit_for({12, 20}, 40, 1), 40);
  EXPECT_EQ(unit_for({7, 20}, 41, 40), 2);
}

TEST(UnitFor, IsOneByteWithoutSizes) {
  EXPECT_EQ(unit_for({}, 5, 10), 1);
  EXPECT_EQ(unit_for({0, 0}, 0, 10), 1);
}

TEST(UnitFor, DoesNotOverflow) {
  EXPECT_EQ(unit_for({1}, kMost, 1), kMost);
  EXPECT_EQ(unit_for({kMost}, kMost, 7), kMost);
  EXPECT_EQ(ceil_div(kMost, 2), kMost / 2 + 1);
}

}  // namespace
}  // namespace reprise::plan
