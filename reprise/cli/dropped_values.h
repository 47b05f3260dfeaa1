// SPDX-License-Identifier: Apache-2.0
// What a schedule drops and recomputes, summed up for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"

namespace reprise::cli {

// Values and recipes of one kind of place: the label with its numbers replaced by *, and the op.
struct DroppedGroup {
  std::string label = {};
  std::string op = {};
  std::int64_t values = 0;  // that backward finds recomputed instead of kept
  std::int64_t bytes = 0;   // of those
  std::int64_t replays = 0;
  double recompute_us = 0;

  bool operator==(const DroppedGroup&) const = default;
};

// Most bytes first; groups that only help to rebuild others (no values of their own) come last.
// REQUIRES: the schedule has no fault.
std::vector<DroppedGroup> dropped_values(const plan::Program& program,
                                         const plan::Schedule& schedule);

// The sum of all.
DroppedGroup total_of(const std::vector<DroppedGroup>& groups);

}  // namespace reprise::cli
