// SPDX-License-Identifier: Apache-2.0
// How many layers each segment of a plan covers.
#pragma once

#include <cstdint>
#include <vector>

#include "reprise/plan/segments.h"

namespace reprise::plan {

inline std::vector<std::int64_t> sizes(const SegmentPlan& plan) {
  std::vector<std::int64_t> result;
  for (const Segment& segment : plan.segments) {
    result.push_back(segment.last - segment.first);
  }
  return result;
}

}  // namespace reprise::plan
