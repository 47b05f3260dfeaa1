// SPDX-License-Identifier: Apache-2.0
// The timeline of a schedule by definition: every slot asks of every value whether it is there.
// O(values * slots * events of the value), and shares no line with simulate().
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"
#include "reprise/plan/simulate.h"

namespace reprise::plan {

// Where one value is made and read again, as slots.
struct ValueEvents {
  std::vector<std::int64_t> replays;
  std::vector<std::int64_t> readings;
};

// The instance of `slot`: of the latest production up to then; a reading at or behind the slot and
// before the next production keeps it.
inline void add_value(const Program& program, const Value& value, const ValueEvents& events,
                      std::int64_t slot, Slot& result) {
  std::int64_t made_at = -1;
  std::int64_t next = INT64_MAX;
  for (const std::int64_t replay : events.replays) {
    if (replay <= slot) {
      made_at = std::max(made_at, replay);
    } else {
      next = std::min(next, replay);
    }
  }
  const bool is_read =
      std::any_of(events.readings.begin(), events.readings.end(),
                  [&](std::int64_t reading) { return slot <= reading && reading < next; });
  if (made_at >= 0) {
    result.recomputed_bytes += is_read || slot == made_at ? value.bytes : 0;
  } else if (value.released_at < program.ops() && slot > value.released_at) {
    result.kept_bytes += is_read ? value.bytes : 0;
  }
}

inline std::vector<Slot> naive_timeline(const Program& program, const Schedule& schedule) {
  std::vector<Slot> slots;
  std::vector<ValueEvents> events(program.values.size());
  const auto event = [&](int value) -> ValueEvents& {
    return events[static_cast<std::size_t>(value)];
  };
  for (std::int64_t op = 0; op < program.ops(); ++op) {
    slots.push_back({.kind = SlotKind::kForward,
                     .index = op,
                     .background_bytes = program.forward_peak_bytes[static_cast<std::size_t>(op)]});
  }
  for (std::size_t use = 0; use < program.uses.size(); ++use) {
    const Use& node = program.uses[use];
    const auto index = static_cast<std::int64_t>(use);
    for (const Replays& replays : schedule.replays) {
      for (const int id : replays.recipes) {
        if (replays.before_use != static_cast<int>(use)) {
          continue;
        }
        const Recipe& recipe = program.recipes[static_cast<std::size_t>(id)];
        const auto slot = static_cast<std::int64_t>(slots.size());
        std::int64_t outputs = 0;
        for (const int value : recipe.inputs) {
          event(value).readings.push_back(slot);
        }
        for (const int value : recipe.outputs) {
          event(value).replays.push_back(slot);
          outputs += program.values[static_cast<std::size_t>(value)].bytes;
        }
        slots.push_back(
            {.kind = SlotKind::kReplay,
             .index = index,
             .recipe = id,
             .background_bytes = program.resident_bytes + node.background_bytes.replaying,
             .workspace_bytes =
                 recipe.transient_bytes > outputs ? recipe.transient_bytes - outputs : 0});
      }
    }
    for (const int value : node.needs) {
      event(value).readings.push_back(static_cast<std::int64_t>(slots.size()));
    }
    slots.push_back({.kind = SlotKind::kUse,
                     .index = index,
                     .background_bytes = program.resident_bytes + node.background_bytes.running});
    slots.push_back({.kind = SlotKind::kAfterUse,
                     .index = index,
                     .background_bytes = program.resident_bytes + node.background_bytes.after});
  }
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    for (std::size_t value = 0; value < program.values.size(); ++value) {
      if (!program.values[value].external) {
        add_value(program, program.values[value], events[value], static_cast<std::int64_t>(slot),
                  slots[slot]);
      }
    }
  }
  return slots;
}

}  // namespace reprise::plan
