// SPDX-License-Identifier: Apache-2.0
// Segment policies for layers of unequal size or cost.
#pragma once

#include <cstdint>
#include <vector>

#include "reprise/plan/segments.h"

namespace reprise::plan {

// Cuts the layers into `segments` consecutive segments (one layer each if there are fewer layers)
// so that the segment with the most bytes has as few as possible. `layer_bytes` is what each layer
// saves for backward: the largest sum is what recomputing a segment brings back at once.
//
// Exact. Of several such cuts, the one with the smallest sum of squared segment sums, then the one
// with the longest first segments; equal layers are cut as n_segments() does. All segments count
// alike, also a plain last one: its bytes live when backward begins.
// O(layers^2 * segments) time, O(layers * segments) memory.
// Throws std::invalid_argument unless segments > 0, every size is >= 0 and the sum of all fits an
// std::int64_t.
SegmentPlan balanced_by_bytes(const std::vector<std::int64_t>& layer_bytes, std::int64_t segments,
                              LastSegment last = LastSegment::kPlain);

// The same cut by what each layer takes to recompute, so that no segment makes backward wait much
// longer than another. Exact up to the rounding of sums of doubles.
// Throws std::invalid_argument unless segments > 0 and every cost is finite and >= 0.
SegmentPlan balanced_by_cost(const std::vector<double>& layer_cost_us, std::int64_t segments,
                             LastSegment last = LastSegment::kPlain);

}  // namespace reprise::plan
