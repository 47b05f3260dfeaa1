// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/balanced_segments.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

#include "reprise/plan/checks.h"

namespace reprise::plan {
namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();
// Sums of squares must stay finite: an infinite one would count as impossible.
constexpr double kMostSquared = 1e300;

// totals[i]: sum of the first i weights. A segment's sum is always a difference of two totals, so
// that both passes below see the same rounding.
template <class Number>
std::vector<Number> prefix_totals(const std::vector<Number>& weights) {
  std::vector<Number> totals(weights.size() + 1);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    totals[i + 1] = totals[i] + weights[i];
  }
  return totals;
}

// The smallest possible largest sum over cuts of all layers into `parts` non-empty segments.
template <class Number>
Number smallest_bottleneck(const std::vector<Number>& totals, std::size_t parts) {
  const std::size_t layers = totals.size() - 1;
  // best[i]: the answer for layers [i, layers) in as many parts as rounds were done.
  std::vector<Number> best(layers);
  for (std::size_t i = 0; i < layers; ++i) {
    best[i] = totals[layers] - totals[i];
  }
  for (std::size_t part = 2; part <= parts; ++part) {
    // Ascending i reads best[end] with end > i only: still the previous round's.
    for (std::size_t i = 0; i + part <= layers; ++i) {
      Number smallest = std::numeric_limits<Number>::max();
      for (std::size_t end = i + 1; end + part - 1 <= layers; ++end) {
        smallest = std::min(smallest, std::max(totals[end] - totals[i], best[end]));
      }
      best[i] = smallest;
    }
  }
  return best[0];
}

// Among the cuts whose segments all stay within `bottleneck`, the one with the least sum of
// squares. The bottleneck alone leaves the other segments open: 3, 3, 3, 1 is as good as 3, 3,
// 2, 2.
template <class Number>
SegmentPlan evenest_cut(const std::vector<Number>& totals, std::size_t parts, Number bottleneck) {
  const std::size_t layers = totals.size() - 1;
  // squares[part][i] and ends[part][i]: layers [i, layers) in `part` parts; where the first one
  // ends.
  std::vector<std::vector<double>> squares(parts + 1, std::vector<double>(layers + 1, kImpossible));
  std::vector<std::vector<std::size_t>> ends(parts + 1, std::vector<std::size_t>(layers + 1));
  squares[0][layers] = 0;
  for (std::size_t part = 1; part <= parts; ++part) {
    for (std::size_t i = 0; i + part <= layers; ++i) {
      for (std::size_t end = i + 1; end + part - 1 <= layers; ++end) {
        const Number sum = totals[end] - totals[i];
        if (sum > bottleneck) {
          break;
        }
        const double square = static_cast<double>(sum) * static_cast<double>(sum);
        // <=: of equals the longest first segment.
        if (square + squares[part - 1][end] <= squares[part][i]) {
          squares[part][i] = square + squares[part - 1][end];
          ends[part][i] = end;
        }
      }
    }
  }
  SegmentPlan plan;
  std::size_t first = 0;
  for (std::size_t part = parts; part > 0; --part) {
    const std::size_t end = ends[part][first];
    plan.segments.push_back(
        {.first = static_cast<std::int64_t>(first), .last = static_cast<std::int64_t>(end)});
    first = end;
  }
  return plan;
}

template <class Number>
SegmentPlan balance(const std::vector<Number>& weights, std::int64_t segments, LastSegment last) {
  if (weights.empty()) {
    return {};
  }
  const auto parts =
      static_cast<std::size_t>(std::min(segments, static_cast<std::int64_t>(weights.size())));
  const std::vector<Number> totals = prefix_totals(weights);
  SegmentPlan plan = evenest_cut(totals, parts, smallest_bottleneck(totals, parts));
  plan.segments.back().is_region = last == LastSegment::kRegion;
  return plan;
}

}  // namespace

SegmentPlan balanced_by_bytes(const std::vector<std::int64_t>& layer_bytes, std::int64_t segments,
                              LastSegment last) {
  require_at_least("balanced_by_bytes", "segments", segments, 1);
  std::int64_t room = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t bytes : layer_bytes) {
    require_at_least("balanced_by_bytes", "layer_bytes", bytes, 0);
    require_at_most("balanced_by_bytes", "layer_bytes", bytes, room);
    room -= bytes;
  }
  return balance(layer_bytes, segments, last);
}

SegmentPlan balanced_by_cost(const std::vector<double>& layer_cost_us, std::int64_t segments,
                             LastSegment last) {
  require_at_least("balanced_by_cost", "segments", segments, 1);
  double total = 0;
  for (const double cost_us : layer_cost_us) {
    total += cost_us;
    if (!(cost_us >= 0) || !(total * total <= kMostSquared)) {
      throw std::invalid_argument(
          "balanced_by_cost: layer_cost_us must be finite and at least 0, got " +
          std::to_string(cost_us));
    }
  }
  return balance(layer_cost_us, segments, last);
}

}  // namespace reprise::plan
