// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/lower_sets.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

#include "reprise/plan/checks.h"

namespace reprise::plan {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

void require_bytes(const char* place, std::int64_t bytes, std::int64_t& room) {
  require_at_least(place, "output_bytes", bytes, 0);
  require_at_most(place, "output_bytes", bytes, room);
  room -= bytes;
}

void require_layers(const std::vector<Layer>& layers) {
  require_at_least("plan_canonical", "the number of layers", std::ssize(layers), 1);
  std::int64_t room = kMost / 4;  // a peak counts a layer at most three times
  for (const Layer& layer : layers) {
    require_bytes("plan_canonical", layer.output_bytes, room);
    if (!(layer.forward_us >= 0) || !std::isfinite(layer.forward_us)) {
      throw std::invalid_argument("plan_canonical: forward_us must be finite and at least 0, got " +
                                  std::to_string(layer.forward_us));
    }
  }
}

// A way to cut a prefix into blocks.
struct Partial {
  double overhead_us = 0;
  std::int64_t kept_bytes = 0;
  std::int64_t peak_bytes = 0;
  std::size_t begin = 0;     // of its last block
  std::size_t previous = 0;  // index of the way to cut what comes before that
};

// Leaves the partials that none beats in both overhead and kept bytes, by ascending overhead.
void keep_undominated(std::vector<Partial>& partials) {
  std::stable_sort(partials.begin(), partials.end(), [](const Partial& a, const Partial& b) {
    return a.overhead_us != b.overhead_us ? a.overhead_us < b.overhead_us
                                          : a.kept_bytes < b.kept_bytes;
  });
  std::int64_t fewest = kMost;
  std::erase_if(partials, [&](const Partial& partial) {
    const bool is_dominated = partial.kept_bytes >= fewest;
    fewest = std::min(fewest, partial.kept_bytes);
    return is_dominated;
  });
}

}  // namespace

std::optional<CanonicalStrategy> plan_canonical(const std::vector<Layer>& layers,
                                                std::int64_t budget_bytes) {
  require_layers(layers);
  const std::size_t count = layers.size();
  // by_end[e]: ways to cut layers [0, e) that fit so far. What follows depends on what they keep
  // only, so those beaten in both numbers lead nowhere better.
  std::vector<std::vector<Partial>> by_end(count + 1);
  by_end[0].push_back({});
  for (std::size_t end = 1; end <= count; ++end) {
    const bool is_last = end == count;
    std::int64_t block_bytes = 0;
    double block_us = 0;
    for (std::size_t begin = end; begin-- > 0;) {
      block_bytes += layers[begin].output_bytes;
      // The block's last output is kept, except that of the last block, which nobody else reads.
      block_us += begin + 1 == end && !is_last ? 0 : layers[begin].forward_us;
      for (std::size_t i = 0; i < by_end[begin].size(); ++i) {
        const Partial& before = by_end[begin][i];
        const std::int64_t bytes =
            before.kept_bytes + 2 * block_bytes + (is_last ? 0 : layers[end].output_bytes);
        if (bytes <= budget_bytes) {
          by_end[end].push_back(
              {.overhead_us = before.overhead_us + block_us,
               .kept_bytes = before.kept_bytes + (is_last ? 0 : layers[end - 1].output_bytes),
               .peak_bytes = std::max(before.peak_bytes, bytes),
               .begin = begin,
               .previous = i});
        }
      }
    }
    keep_undominated(by_end[end]);
  }
  if (by_end[count].empty()) {
    return std::nullopt;
  }
  const Partial* partial = &by_end[count].front();
  CanonicalStrategy strategy{
      .ends = {}, .overhead_us = partial->overhead_us, .peak_bytes = partial->peak_bytes};
  for (std::size_t end = count; end > 0;) {
    strategy.ends.push_back(static_cast<std::int64_t>(end));
    end = partial->begin;
    partial = &by_end[end][partial->previous];
  }
  std::reverse(strategy.ends.begin(), strategy.ends.end());
  return strategy;
}

LeastMemory least_memory(const std::vector<std::int64_t>& output_bytes) {
  const std::size_t count = output_bytes.size();
  require_at_least("least_memory", "the number of layers", std::ssize(output_bytes), 1);
  std::int64_t room = kMost / 2;
  std::vector<std::int64_t> limits = {0};  // every sum that may lie between two kept layers
  std::vector<std::int64_t> totals = {0};
  for (const std::int64_t bytes : output_bytes) {
    require_bytes("least_memory", bytes, room);
    totals.push_back(totals.back() + bytes);
  }
  for (std::size_t i = 1; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      limits.push_back(totals[j] - totals[i]);
    }
  }
  std::sort(limits.begin(), limits.end());
  limits.erase(std::unique(limits.begin(), limits.end()), limits.end());

  LeastMemory best;
  std::int64_t best_bytes = kMost;
  std::vector<std::int64_t> path_bytes(count);  // fewest kept bytes up to a kept layer
  std::vector<std::size_t> previous(count);
  for (const std::int64_t limit : limits) {
    if (limit >= best_bytes) {
      break;  // sums are ascending and paths cost at least nothing
    }
    path_bytes[0] = output_bytes[0];
    for (std::size_t j = 1; j < count; ++j) {
      path_bytes[j] = kMost;
      for (std::size_t i = j; i-- > 0 && totals[j] - totals[i + 1] <= limit;) {
        if (path_bytes[i] + output_bytes[j] < path_bytes[j]) {
          path_bytes[j] = path_bytes[i] + output_bytes[j];
          previous[j] = i;
        }
      }
    }
    if (path_bytes[count - 1] + limit < best_bytes) {
      best_bytes = path_bytes[count - 1] + limit;
      best = {.kept = {}, .kept_bytes = path_bytes[count - 1], .between_bytes = limit};
      for (std::size_t j = count - 1; j > 0; j = previous[j]) {
        best.kept.push_back(static_cast<std::int64_t>(j));
      }
      best.kept.push_back(0);
      std::reverse(best.kept.begin(), best.kept.end());
    }
  }
  return best;
}

}  // namespace reprise::plan
