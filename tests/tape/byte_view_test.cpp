// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/byte_view.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace reprise::tape {
namespace {

// Every byte of the view, one by one.
std::set<std::int64_t> bytes_of(const ByteView& view) {
  std::set<std::int64_t> places = {view.offset};
  for (std::size_t i = 0; i < view.sizes.size(); ++i) {
    std::set<std::int64_t> more;
    for (const std::int64_t place : places) {
      for (std::int64_t k = 0; k < view.sizes[i]; ++k) {
        more.insert(place + k * view.strides[i]);
      }
    }
    places = more;
  }
  std::set<std::int64_t> bytes;
  for (const std::int64_t place : places) {
    for (std::int64_t k = 0; k < view.item_bytes; ++k) {
      bytes.insert(place + k);
    }
  }
  return bytes;
}

bool share_a_byte(const ByteView& one, const ByteView& other) {
  const std::set<std::int64_t> bytes = bytes_of(one);
  const std::set<std::int64_t> others = bytes_of(other);
  return std::any_of(bytes.begin(), bytes.end(),
                     [&](std::int64_t byte) { return others.count(byte) > 0; });
}

ByteView random_view(std::mt19937& random) {
  const auto number = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  ByteView view{.offset = number(0, 40), .item_bytes = number(1, 4)};
  for (int i = number(0, 3); i > 0; --i) {
    view.sizes.push_back(number(0, 15) == 0 ? 0 : number(1, 4));
    view.strides.push_back(number(0, 24));
  }
  return view;
}

TEST(Overlap, IsThatOfTheBytesForRandomViews) {
  std::mt19937 random(7);
  int overlapping = 0;
  for (int i = 0; i < 20'000; ++i) {
    SCOPED_TRACE(i);
    const ByteView one = random_view(random);
    const ByteView other = random_view(random);
    const bool expected = share_a_byte(one, other);
    ASSERT_EQ(overlap(one, other), expected);
    ASSERT_EQ(overlap(other, one), expected);
    overlapping += expected ? 1 : 0;
  }
  EXPECT_GT(overlapping, 4'000);
  EXPECT_LT(overlapping, 16'000);
}

TEST(Overlap, DenseRangesAreApartUpToTheLastByte) {
  const ByteView first{.offset = 0, .item_bytes = 4, .sizes = {2, 3}, .strides = {12, 4}};
  const ByteView touching{.offset = 24, .item_bytes = 4, .sizes = {2}, .strides = {4}};
  const ByteView last_byte{.offset = 23, .item_bytes = 1};
  EXPECT_FALSE(overlap(first, touching));
  EXPECT_TRUE(overlap(first, last_byte));
}

TEST(Overlap, ViewsWithoutElementsHaveNone) {
  const ByteView nothing{.offset = 0, .item_bytes = 4, .sizes = {3, 0}, .strides = {4, 4}};
  const ByteView all{.offset = 0, .item_bytes = 4, .sizes = {3}, .strides = {4}};
  EXPECT_FALSE(overlap(nothing, all));
  EXPECT_FALSE(overlap(nothing, nothing));
}

TEST(Overlap, AnExpandedElementIsOneElement) {
  const ByteView expanded{.offset = 8, .item_bytes = 4, .sizes = {1000, 1000}, .strides = {0, 0}};
  const ByteView element{.offset = 8, .item_bytes = 4};
  const ByteView next{.offset = 12, .item_bytes = 4};
  EXPECT_TRUE(overlap(expanded, element));
  EXPECT_FALSE(overlap(expanded, next));
}

// What would take long one by one: a billion elements each.
TEST(Overlap, ChunksOfManyRowsAreApart) {
  const std::int64_t row = std::int64_t{4} * 32768;
  const ByteView first{.offset = 0, .item_bytes = 4, .sizes = {1 << 17, 8192}, .strides = {row, 4}};
  ByteView second = first;
  second.offset = row / 4;
  ByteView shifted = first;
  shifted.offset = row / 4 - 4;
  EXPECT_FALSE(overlap(first, second));
  EXPECT_TRUE(overlap(first, shifted));
}

TEST(Overlap, EvenAndOddElementsOfTransposedRowsAreApart) {
  const std::int64_t row = std::int64_t{4} * 32768;
  const ByteView even{.offset = 0, .item_bytes = 4, .sizes = {16384, 1 << 17}, .strides = {8, row}};
  const ByteView odd{.offset = 4, .item_bytes = 4, .sizes = {1 << 17, 16384}, .strides = {row, 8}};
  EXPECT_FALSE(overlap(even, odd));
}

// Byte 3 of each 12 against bytes 1 and 6 of each 12; with these strides only counting shows it.
ByteView third_bytes(std::int64_t size) {
  return {.offset = 3, .item_bytes = 1, .sizes = {size}, .strides = {12}};
}
ByteView around_third_bytes(std::int64_t size) {
  return {.offset = 1, .item_bytes = 1, .sizes = {size, 2}, .strides = {12, 5}};
}

TEST(Overlap, IsCountedWhereNoPeriodTellsTheViewsApart) {
  EXPECT_FALSE(overlap(third_bytes(1000), around_third_bytes(1000)));
}

TEST(Overlap, IsTakenForGrantedBeyondTheMostSteps) {
  EXPECT_TRUE(overlap(third_bytes(1 << 18), around_third_bytes(1 << 18)));
}

}  // namespace
}  // namespace reprise::tape
