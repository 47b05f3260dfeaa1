// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/segments.h"

#include <algorithm>

namespace reprise::plan {

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
    text += (text.empty() ? "" : ", ") + std::to_string(segment.first) + "-" +
            std::to_string(segment.last - 1) + (segment.is_region ? " region" : " plain");
  }
  return text;
}

}  // namespace reprise::plan
