// SPDX-License-Identifier: Apache-2.0
// Which values to save within a number of bytes, so that as much recomputation as possible is
// saved.
#pragma once

#include <cstdint>
#include <vector>

namespace reprise::plan {

struct KnapsackItem {
  std::int64_t bytes = 0;
  double saved_us = 0;

  bool operator==(const KnapsackItem&) const = default;
};

struct KnapsackChoice {
  std::vector<int> items;  // ascending
  std::int64_t bytes = 0;
  double saved_us = 0;

  bool operator==(const KnapsackChoice&) const = default;
};

// The items of the largest total `saved_us` whose bytes fit `capacity_bytes`. Bytes are counted in
// at most `resolution` units (units.h), items rounded up: never over the capacity, and exact if the
// unit divides all sizes, as it does for a capacity of at most `resolution` bytes. Items of no
// bytes are always taken.
//
// It knows nothing of what appears while a value is computed again: simulate() has the last word on
// the peak. O(items * resolution) time, an eighth of a byte of memory each.
// Throws std::invalid_argument unless capacity_bytes >= 0, resolution >= 1, bytes are >= 0 and
// saved_us are finite and >= 0.
KnapsackChoice solve_knapsack(const std::vector<KnapsackItem>& items, std::int64_t capacity_bytes,
                              std::int64_t resolution = 10'000);

}  // namespace reprise::plan
