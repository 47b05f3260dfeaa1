// SPDX-License-Identifier: Apache-2.0
// Which consecutive layers of a chain form one checkpointed region.
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
};

// Invariant of every function here: segments are ascending, adjacent, and cover [0, layers).
struct SegmentPlan {
  std::vector<Segment> segments;

  std::int64_t layers() const;
  std::int64_t regions() const;
  // "0-2 region, 3-5 region, 6-8 plain", or "nothing checkpointed".
  std::string text() const;
};

}  // namespace reprise::plan
