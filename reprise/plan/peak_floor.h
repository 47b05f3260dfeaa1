// SPDX-License-Identifier: Apache-2.0
// The bytes below which no schedule can go, and the words for what makes a peak.
#pragma once

#include <cstdint>

#include "reprise/plan/planner.h"
#include "reprise/plan/program.h"
#include "reprise/plan/simulate.h"

namespace reprise::plan {

struct PeakFloor {
  std::int64_t bytes = 0;
  PeakReason reason;  // of the first slot that sets it
};

// REQUIRES: `program` has no fault. The largest of: forward_peak_bytes of each op; for each use
// what must be there while its node runs (background, resident bytes and the values it needs that
// are neither external nor held by user code) and after it. No schedule has a lower peak; the
// smallest that some schedule reaches may be higher, because rebuilding takes bytes too. O(size).
PeakFloor peak_floor(const Program& program);

// The slot of a simulation's peak and what is alive in it.
PeakReason peak_reason(const Program& program, const Simulation& simulation);

}  // namespace reprise::plan
