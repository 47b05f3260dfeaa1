// SPDX-License-Identifier: Apache-2.0
// Sublinear memory by segments: what a chain keeps if it recomputes segments from their beginnings,
// once or again within each segment.
//
// Chen, Xu, Zhang, Guestrin 2016 (arXiv 1604.06174), sections 4.1 to 4.3. Simple and not optimal:
// binomial.h takes fewer steps in the same memory. The best number of equal segments without
// recursion is best_interval() in segments.h.
#pragma once

#include <cstdint>
#include <vector>

#include "reprise/plan/chain/actions.h"

namespace reprise::plan {

// What the recursion holds at most, and how often it runs all steps again at most.
struct ChenRecursion {
  std::int64_t memory = 1;  // states, the first one included: g(n) = k + g(n / (k + 1)), g(1) = 1
  std::int64_t extra_passes = 0;

  bool operator==(const ChenRecursion&) const = default;
};

// Keeps `kept` states inside each part and recurses into its kept + 1 parts. O(log steps).
// Throws std::invalid_argument unless steps >= 1 and kept >= 1.
ChenRecursion chen_recursion(std::int64_t steps, std::int64_t kept);

// The schedule of the recursion, states in level 0. Same errors.
std::vector<Action> chen_recursive_actions(std::int64_t steps, std::int64_t kept);

// A cut of a chain of unequal layers.
struct ChenCut {
  std::vector<std::int64_t> kept;  // layers whose outputs are kept, ascending
  std::int64_t kept_bytes = 0;     // of their outputs
  std::int64_t largest_segment_bytes =
      0;  // most bytes between two of them, the last one's included

  bool operator==(const ChenCut&) const = default;
};

// Walks the layers and keeps the output of the first one with which the segment's sum exceeds
// `segment_bytes`. O(layers).
// Throws std::invalid_argument if a size is negative, or their sum exceeds an std::int64_t.
ChenCut chen_cut(const std::vector<std::int64_t>& layer_bytes, std::int64_t segment_bytes);

// The cut whose kept and largest segment's bytes together are fewest, among segment_bytes of
// `candidates` values spread evenly (in ratio) over [b / sqrt 2, b * sqrt 2], where b is the
// geometric mean of the two sums in the cut by total / sqrt(layers). Same errors, also unless
// candidates >= 1.
ChenCut best_chen_cut(const std::vector<std::int64_t>& layer_bytes, std::int64_t candidates = 20);

}  // namespace reprise::plan
