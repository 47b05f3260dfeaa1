// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/knapsack.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "reprise/plan/checks.h"
#include "reprise/plan/units.h"

namespace reprise::plan {
namespace {

void require_problem(const std::vector<KnapsackItem>& items, std::int64_t capacity_bytes,
                     std::int64_t resolution) {
  require_at_least("solve_knapsack", "capacity_bytes", capacity_bytes, 0);
  require_at_least("solve_knapsack", "resolution", resolution, 1);
  for (const KnapsackItem& item : items) {
    require_at_least("solve_knapsack", "bytes", item.bytes, 0);
    if (!(item.saved_us >= 0) || !std::isfinite(item.saved_us)) {
      throw std::invalid_argument("solve_knapsack: saved_us must be finite and at least 0, got " +
                                  std::to_string(item.saved_us));
    }
  }
}

}  // namespace

KnapsackChoice solve_knapsack(const std::vector<KnapsackItem>& items, std::int64_t capacity_bytes,
                              std::int64_t resolution) {
  require_problem(items, capacity_bytes, resolution);
  std::vector<std::int64_t> sizes(items.size());
  std::transform(items.begin(), items.end(), sizes.begin(),
                 [](const KnapsackItem& item) { return item.bytes; });
  const std::int64_t unit = unit_for(sizes, capacity_bytes, resolution);
  const auto width = static_cast<std::size_t>(capacity_bytes / unit) + 1;
  std::vector<double> best_us(width);  // with so many units, of the items seen so far
  std::vector<std::vector<bool>> is_taken(items.size(), std::vector<bool>(width));
  const auto units_of = [&](std::size_t i) {
    return static_cast<std::size_t>(ceil_div(items[i].bytes, unit));
  };
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::size_t units = units_of(i);
    // From above, so that an item is not taken twice.
    for (std::size_t room = width; room-- > units;) {
      const double us = best_us[room - units] + items[i].saved_us;
      if (us > best_us[room] || (units == 0 && us == best_us[room])) {
        best_us[room] = us;
        is_taken[i][room] = true;
      }
    }
  }
  KnapsackChoice choice;
  std::size_t room = width - 1;
  for (std::size_t i = items.size(); i-- > 0;) {
    if (is_taken[i][room]) {
      room -= units_of(i);
      choice.items.push_back(static_cast<int>(i));
      choice.bytes += items[i].bytes;
      choice.saved_us += items[i].saved_us;
    }
  }
  std::reverse(choice.items.begin(), choice.items.end());
  return choice;
}

}  // namespace reprise::plan
