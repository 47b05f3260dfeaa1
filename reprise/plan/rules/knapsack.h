// SPDX-License-Identifier: Apache-2.0
// The 0/1 knapsack problem: which values to keep within so many bytes, if each saves some time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reprise::plan {

struct KnapsackItem {
  std::int64_t bytes = 0;
  double saved_us = 0;  // gained by taking it
};

struct KnapsackChoice {
  std::vector<std::size_t> taken;  // ascending
  std::int64_t bytes = 0;
  double saved_us = 0;

  bool operator==(const KnapsackChoice&) const = default;
};

// The choice within `capacity_bytes` that saves the most time; of several one with the fewest
// bytes. Items that save nothing are not taken, whatever they weigh. Exact, whatever the sizes, as
// long as no more than `most_states` partial choices are worth keeping at once (Nemhauser and
// Ullmann 1969); beyond that some of them are given up, and the choice is near the best. O(items *
// most_states). Throws std::invalid_argument for a negative capacity or size, or a negative or
// infinite time.
KnapsackChoice solve_knapsack(const std::vector<KnapsackItem>& items, std::int64_t capacity_bytes,
                              std::size_t most_states = 100'000);

}  // namespace reprise::plan
