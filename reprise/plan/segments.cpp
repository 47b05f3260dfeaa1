// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/segments.h"

#include <algorithm>
#include <limits>

#include "reprise/plan/checks.h"
#include "reprise/plan/units.h"

namespace reprise::plan {
namespace {

constexpr std::int64_t kMaxBytes = std::numeric_limits<std::int64_t>::max();

void settle_last(SegmentPlan& plan, LastSegment last) {
  if (!plan.segments.empty()) {
    plan.segments.back().is_region = last == LastSegment::kRegion;
  }
}

}  // namespace

std::int64_t SegmentPlan::layers() const { return segments.empty() ? 0 : segments.back().last; }

std::int64_t SegmentPlan::regions() const {
  return std::count_if(segments.begin(), segments.end(),
                       [](const Segment& segment) { return segment.is_region; });
}

std::string SegmentPlan::text() const {
  if (regions() == 0) {
    return "nothing checkpointed";
  }
  std::string text;
  for (const Segment& segment : segments) {
    text.append(text.empty() ? "" : ", ").append(std::to_string(segment.first));
    if (segment.last - segment.first > 1) {
      text.append("-").append(std::to_string(segment.last - 1));
    }
    text.append(segment.is_region ? " region" : " plain");
  }
  return text;
}

SegmentPlan all_plain(std::int64_t layers) {
  require_at_least("all_plain", "layers", layers, 0);
  return every_k(layers, std::max<std::int64_t>(layers, 1), LastSegment::kPlain);
}

SegmentPlan every_k(std::int64_t layers, std::int64_t k, LastSegment last) {
  require_at_least("every_k", "layers", layers, 0);
  require_at_least("every_k", "k", k, 1);
  SegmentPlan plan;
  for (std::int64_t first = 0; first < layers;) {
    const std::int64_t end = first + std::min(k, layers - first);
    plan.segments.push_back({.first = first, .last = end});
    first = end;
  }
  settle_last(plan, last);
  return plan;
}

SegmentPlan n_segments(std::int64_t layers, std::int64_t segments, LastSegment last) {
  require_at_least("n_segments", "layers", layers, 0);
  require_at_least("n_segments", "segments", segments, 1);
  const std::int64_t size = layers / segments;
  const std::int64_t larger = layers % segments;
  SegmentPlan plan;
  for (std::int64_t i = 0, first = 0; first < layers; ++i) {
    const std::int64_t end = first + size + (i < larger ? 1 : 0);
    plan.segments.push_back({.first = first, .last = end});
    first = end;
  }
  settle_last(plan, last);
  return plan;
}

SegmentPlan sqrt_segments(std::int64_t layers, LastSegment last) {
  require_at_least("sqrt_segments", "layers", layers, 0);
  // By division: std::sqrt may be off by one, and i * i may overflow.
  std::int64_t root = 1;
  while (root < ceil_div(layers, root)) {
    ++root;
  }
  return n_segments(layers, root, last);
}

Interval best_interval(std::int64_t layers, std::int64_t input_bytes, std::int64_t layer_bytes) {
  require_at_least("best_interval", "layers", layers, 0);
  require_at_least("best_interval", "input_bytes", input_bytes, 0);
  require_at_least("best_interval", "layer_bytes", layer_bytes, 0);
  if (layers == 0) {
    return {.k = 1, .bytes = 0};
  }
  // Both factors of M(k) are at most `layers`.
  require_at_most("best_interval", "layer_bytes", layer_bytes, kMaxBytes / layers);
  require_at_most("best_interval", "input_bytes", input_bytes, kMaxBytes / layers - layer_bytes);
  Interval best{.k = 1, .bytes = kMaxBytes};
  for (std::int64_t k = 1; k <= layers; ++k) {
    const std::int64_t bytes = ceil_div(layers, k) * input_bytes + k * layer_bytes;
    if (bytes < best.bytes) {
      best = {.k = k, .bytes = bytes};
    }
  }
  return best;
}

SegmentPlan best_k(std::int64_t layers, std::int64_t input_bytes, std::int64_t layer_bytes,
                   LastSegment last) {
  return every_k(layers, best_interval(layers, input_bytes, layer_bytes).k, last);
}

SegmentPlan from_sequence_length(const SegmentPlan& plan, std::int64_t sequence,
                                 std::int64_t threshold) {
  require_at_least("from_sequence_length", "sequence", sequence, 0);
  require_at_least("from_sequence_length", "threshold", threshold, 0);
  return sequence >= threshold ? plan : all_plain(plan.layers());
}

}  // namespace reprise::plan
