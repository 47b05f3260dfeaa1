// SPDX-License-Identifier: Apache-2.0
// Which consecutive layers of a chain form one checkpointed region, and the policies that need to
// know nothing but the number of layers. Policies over measured layers: balanced_segments.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reprise::plan {

// Layers [first, last) run as one unit; a region if `is_region`, plainly otherwise.
struct Segment {
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool is_region = true;

  bool operator==(const Segment&) const = default;
};

// Invariant of every function here: segments are ascending, adjacent, and cover [0, layers). None
// is empty, so a chain without layers has a plan without segments.
struct SegmentPlan {
  std::vector<Segment> segments;

  std::int64_t layers() const;
  std::int64_t regions() const;
  // "0-2 region, 3-5 region, 6-8 plain", or "nothing checkpointed".
  std::string text() const;

  bool operator==(const SegmentPlan&) const = default;
};

// What becomes of the last segment. Backward begins there and needs its values at once, so
// recomputing them costs time and lowers no peak, unless something large follows the chain (a
// classifier over a big vocabulary): then a region frees the last layers while that runs.
enum class LastSegment {
  kPlain,   // the default of every policy: a plan of one segment checkpoints nothing
  kRegion,  // every layer lies in a region
};

// One plain segment: nothing is checkpointed.
// Throws std::invalid_argument if `layers` is negative, as every policy below does.
SegmentPlan all_plain(std::int64_t layers);

// Each segment covers `k` consecutive layers, the last one what is left: 5 layers by 2 are
// 0-1, 2-3, 4. So k = 1 is a region per layer, and k >= layers is one segment.
// Throws std::invalid_argument unless k > 0.
SegmentPlan every_k(std::int64_t layers, std::int64_t k, LastSegment last = LastSegment::kPlain);

// `segments` segments whose sizes differ by at most one, the larger ones first: 10 layers in 4 are
// 3, 3, 2, 2. Fewer layers than segments: one layer each.
// Throws std::invalid_argument unless segments > 0.
SegmentPlan n_segments(std::int64_t layers, std::int64_t segments,
                       LastSegment last = LastSegment::kPlain);

// ceil(sqrt(layers)) segments: about 2 sqrt(layers) layers of memory for one more forward pass.
// Chen et al. 2016 (arXiv 1604.06174), section 4.1.
SegmentPlan sqrt_segments(std::int64_t layers, LastSegment last = LastSegment::kPlain);

// The k of every_k() that a memory model of equal layers prefers, and the bytes it predicts.
struct Interval {
  std::int64_t k = 1;
  std::int64_t bytes = 0;

  bool operator==(const Interval&) const = default;
};

// The k in [1, layers] that minimises
//
//   M(k) = ceil(layers / k) * input_bytes + k * layer_bytes
//
// where `input_bytes` is what a segment keeps (its input) and `layer_bytes` what one layer of
// the segment that backward has just recomputed holds. Both are counted for every segment, the last
// one included: its values are there when backward begins. Exact; of several such k the smallest.
// O(layers). sqrt(layers * input_bytes / layer_bytes) is its continuous form (Chen et al.
// 2016, section 4.1, with unequal sizes). No layers: k = 1, 0 bytes. Throws std::invalid_argument
// if a size is negative or M(k) may exceed an std::int64_t.
Interval best_interval(std::int64_t layers, std::int64_t input_bytes, std::int64_t layer_bytes);

// every_k() with the k of best_interval().
SegmentPlan best_k(std::int64_t layers, std::int64_t input_bytes, std::int64_t layer_bytes,
                   LastSegment last = LastSegment::kPlain);

// `plan` for sequences of at least `threshold` positions; below it, where activations fit anyway,
// the same layers with nothing checkpointed.
// Throws std::invalid_argument if `sequence` or `threshold` is negative.
SegmentPlan from_sequence_length(const SegmentPlan& plan, std::int64_t sequence,
                                 std::int64_t threshold);

}  // namespace reprise::plan
