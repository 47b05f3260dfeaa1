// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/rules/knapsack.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "reprise/plan/checks.h"

namespace reprise::plan {
namespace {

// A choice among the items so far. Its last item and the choice without it are `history`.
struct Partial {
  std::int64_t bytes = 0;
  double saved_us = 0;
  int history = -1;
};

struct Taken {
  std::size_t item = 0;
  int history = -1;
};

// Merges two lists ascending in bytes and keeps what saves more than everything with fewer bytes.
std::vector<Partial> merge(const std::vector<Partial>& without, const std::vector<Partial>& with) {
  std::vector<Partial> merged;
  merged.reserve(without.size() + with.size());
  const auto add = [&](const Partial& partial) {
    if (merged.empty() || partial.saved_us > merged.back().saved_us) {
      if (!merged.empty() && merged.back().bytes == partial.bytes) {
        merged.back() = partial;
      } else {
        merged.push_back(partial);
      }
    }
  };
  auto a = without.begin();
  auto b = with.begin();
  while (a != without.end() || b != with.end()) {
    if (b == with.end() || (a != without.end() && a->bytes <= b->bytes)) {
      add(*a++);
    } else {
      add(*b++);
    }
  }
  return merged;
}

// Evenly spaced ones of the list, the first and the last among them.
void thin_out(std::vector<Partial>& partials, std::size_t most_states) {
  if (partials.size() <= most_states) {
    return;
  }
  std::vector<Partial> kept;
  for (std::size_t i = 0; i < most_states; ++i) {
    kept.push_back(partials[i * (partials.size() - 1) / (most_states - 1)]);
  }
  partials = std::move(kept);
}

}  // namespace

KnapsackChoice solve_knapsack(const std::vector<KnapsackItem>& items, std::int64_t capacity_bytes,
                              std::size_t most_states) {
  require_at_least("solve_knapsack", "capacity_bytes", capacity_bytes, 0);
  require_at_least("solve_knapsack", "most_states", static_cast<std::int64_t>(most_states), 2);
  std::vector<Partial> partials = {{}};
  std::vector<Taken> history;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const KnapsackItem& item = items[i];
    require_at_least("solve_knapsack", "bytes of item " + std::to_string(i), item.bytes, 0);
    if (!std::isfinite(item.saved_us) || item.saved_us < 0) {
      throw std::invalid_argument("solve_knapsack: saved_us of item " + std::to_string(i) +
                                  " must be finite and at least 0, got " +
                                  std::to_string(item.saved_us));
    }
    std::vector<Partial> with;
    for (const Partial& partial : partials) {
      if (item.saved_us > 0 && item.bytes <= capacity_bytes - partial.bytes) {
        with.push_back({.bytes = partial.bytes + item.bytes,
                        .saved_us = partial.saved_us + item.saved_us,
                        .history = static_cast<int>(history.size())});
        history.push_back({.item = i, .history = partial.history});
      }
    }
    partials = merge(partials, with);
    thin_out(partials, most_states);
  }
  const Partial& best = partials.back();
  KnapsackChoice choice{.taken = {}, .bytes = best.bytes, .saved_us = best.saved_us};
  for (int at = best.history; at >= 0; at = history[static_cast<std::size_t>(at)].history) {
    choice.taken.push_back(history[static_cast<std::size_t>(at)].item);
  }
  std::reverse(choice.taken.begin(), choice.taken.end());
  return choice;
}

}  // namespace reprise::plan
