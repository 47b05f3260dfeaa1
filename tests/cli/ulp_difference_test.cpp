// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/ulp_difference.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace reprise::cli {
namespace {

template <class Number>
std::uint64_t between(const std::vector<Number>& left, const std::vector<Number>& right) {
  return largest_ulp_difference(left.data(), right.data(), left.size(), sizeof(Number));
}

TEST(UlpDifference, IsZeroIfEveryBitAgrees) {
  const float nan = std::nanf("");
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(between<float>({1.5F, -0.0F, nan, infinity}, {1.5F, -0.0F, nan, infinity}), 0U);
  EXPECT_EQ(between<float>({}, {}), 0U);
}

TEST(UlpDifference, CountsRepresentableNumbers) {
  EXPECT_EQ(between<float>({1.0F}, {std::nextafter(1.0F, 2.0F)}), 1U);
  EXPECT_EQ(between<float>({-1.0F}, {std::nextafter(-1.0F, 0.0F)}), 1U);
  EXPECT_EQ(between<float>({1.0F}, {2.0F}), 1U << 23);
  EXPECT_EQ(between<double>({1.0}, {2.0}), std::uint64_t{1} << 52);
  EXPECT_EQ(between<std::uint16_t>({0x3F80}, {0x3F82}), 2U);  // 1 and 1.015625 in bfloat16
}

TEST(UlpDifference, TellsZerosApartAndGoesOnAcrossThem) {
  const float least = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(between<float>({0.0F}, {-0.0F}), 1U);
  EXPECT_EQ(between<float>({least}, {-least}), 3U);
}

TEST(UlpDifference, OfAnInfinityAndANanIsNotZero) {
  EXPECT_GT(between<float>({std::numeric_limits<float>::infinity()}, {std::nanf("")}), 0U);
}

TEST(UlpDifference, IsTheLargestOfAllElements) {
  EXPECT_EQ(between<float>({1.0F, 1.0F, 5.0F}, {1.0F, 2.0F, std::nextafter(5.0F, 9.0F)}), 1U << 23);
}

TEST(UlpDifference, RefusesOtherSizes) {
  const char byte = 0;
  EXPECT_THROW(largest_ulp_difference(&byte, &byte, 1, 1), std::invalid_argument);
}

}  // namespace
}  // namespace reprise::cli
