// SPDX-License-Identifier: Apache-2.0
// The only judge of schedules: an event sweep over one step that says what a schedule costs.
//
// The step is a row of slots: one per forward op; then, per use, one per replay before it, one
// while its node runs and one after it. A schedule names replays, and what lives when follows:
//   1. An instance of a value lives from its production to its last reading (by a replay or a use)
//      before its next production, both slots included.
//   2. The instance that forward made is charged from the slot after `released_at` on, and only if
//      something reads it in backward; one that user code holds to the end is part of
//      `resident_bytes` and never charged itself. A replayed instance always is.
//   3. A replay reads its inputs before it writes its outputs, so both count in its slot. An output
//      that nobody reads occupies that slot only.
//   4. Beside the live instances a slot has bytes that no schedule controls: the
//      `forward_peak_bytes` of its op, or the use's background for that slot plus
//      `resident_bytes`; a replay adds the transient bytes that exceed its outputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"

namespace reprise::plan {

enum class SlotKind { kForward, kReplay, kUse, kAfterUse };

// One slot of the step and the bytes in it, by kind.
struct Slot {
  SlotKind kind = SlotKind::kForward;
  std::int64_t index = 0;             // the op of kForward, the use of every other kind
  int recipe = kNoRecipe;             // what a kReplay runs
  std::int64_t kept_bytes = 0;        // instances that forward made
  std::int64_t recomputed_bytes = 0;  // instances that replays made
  std::int64_t background_bytes = 0;  // what no schedule controls
  std::int64_t workspace_bytes = 0;   // transient bytes of a replay beyond its outputs

  std::int64_t total_bytes() const {
    return kept_bytes + recomputed_bytes + background_bytes + workspace_bytes;
  }
  bool operator==(const Slot&) const = default;
};

// An instance that is alive in the slot of the peak.
struct LiveValue {
  int value = 0;
  bool is_recomputed = false;

  bool operator==(const LiveValue&) const = default;
};

struct Simulation {
  std::int64_t peak_bytes = 0;
  std::int64_t peak_slot = 0;          // the first slot that has the peak
  std::vector<LiveValue> peak_values;  // what is alive there, ascending by value
  std::int64_t replays = 0;
  double recompute_us = 0;       // the recipes' costs, added in the order in which they run
  double predicted_step_us = 0;  // step_us + recompute_us + the executor's own overheads
  std::vector<Slot> timeline;

  // recompute_us / step_us; 0 for a step that takes no time.
  double overhead = 0;
};

// Why a schedule cannot be judged.
struct ScheduleFault {
  std::string path;  // "replays[2].recipes[0]"
  std::string what;  // "must be below 140, the number of recipes, got 200"

  bool operator==(const ScheduleFault&) const = default;
};

// The first of these that does not hold: the schedule states no program or this one (by its hash);
// its replays name uses and recipes of the program; uses ascend; no list is empty; the recipes are
// replayable. Computes the program's hash only if the schedule states one.
std::optional<ScheduleFault> find_fault(const Program& program, const Schedule& schedule);

// REQUIRES: `program` has no fault. Throws std::invalid_argument if `schedule` has one.
// O(slots + size of the program).
Simulation simulate(const Program& program, const Schedule& schedule);

// The schedule that replays nothing, and its simulation: what plain training takes.
Simulation simulate_keep_all(const Program& program);

}  // namespace reprise::plan
