// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/peak_floor.h"

#include <algorithm>
#include <string>
#include <utility>

#include "reprise/plan/shortened.h"

namespace reprise::plan {
namespace {

const Value& value_of(const Program& program, int id) {
  return program.values[static_cast<std::size_t>(id)];
}

std::string name_use(const Program& program, std::int64_t use) {
  return "use " + std::to_string(use) + " (" +
         shortened(program.uses[static_cast<std::size_t>(use)].name) + ")";
}

void sort_largest_first(const Program& program, std::vector<int>& values) {
  std::sort(values.begin(), values.end(), [&](int a, int b) {
    const std::int64_t a_bytes = value_of(program, a).bytes;
    const std::int64_t b_bytes = value_of(program, b).bytes;
    return a_bytes != b_bytes ? a_bytes > b_bytes : a < b;
  });
}

void raise(PeakFloor& floor, std::int64_t bytes, std::int64_t background_bytes, std::string place,
           std::vector<int> values = {}) {
  if (bytes > floor.bytes || floor.reason.place.empty()) {
    floor = {.bytes = bytes,
             .reason = {.place = std::move(place),
                        .background_bytes = background_bytes,
                        .values = std::move(values)}};
  }
}

}  // namespace

PeakFloor peak_floor(const Program& program) {
  PeakFloor floor;
  for (std::size_t op = 0; op < program.forward_peak_bytes.size(); ++op) {
    const std::int64_t bytes = program.forward_peak_bytes[op];
    raise(floor, bytes, bytes, "forward op " + std::to_string(op));
  }
  for (std::size_t i = 0; i < program.uses.size(); ++i) {
    const Use& use = program.uses[i];
    const std::int64_t running_bytes = use.background_bytes.running + program.resident_bytes;
    std::int64_t needed_bytes = 0;
    std::vector<int> needed;
    for (const int id : use.needs) {
      const Value& value = value_of(program, id);
      if (program.is_counted(value)) {
        needed_bytes += value.bytes;
        needed.push_back(id);
      }
    }
    sort_largest_first(program, needed);
    const std::string place = name_use(program, static_cast<std::int64_t>(i));
    raise(floor, running_bytes + needed_bytes, running_bytes, place, std::move(needed));
    const std::int64_t after_bytes = use.background_bytes.after + program.resident_bytes;
    raise(floor, after_bytes, after_bytes, "after " + place);
  }
  return floor;
}

PeakReason peak_reason(const Program& program, const Simulation& simulation) {
  PeakReason reason;
  if (simulation.timeline.empty()) {
    return reason;
  }
  const Slot& slot = simulation.timeline[static_cast<std::size_t>(simulation.peak_slot)];
  switch (slot.kind) {
    case SlotKind::kForward:
      reason.place = "forward op " + std::to_string(slot.index);
      break;
    case SlotKind::kReplay:
      reason.place = "recipe " + std::to_string(slot.recipe) + " (" +
                     shortened(program.recipes[static_cast<std::size_t>(slot.recipe)].name) +
                     ") before " + name_use(program, slot.index);
      break;
    case SlotKind::kUse:
      reason.place = name_use(program, slot.index);
      break;
    case SlotKind::kAfterUse:
      reason.place = "after " + name_use(program, slot.index);
      break;
  }
  reason.background_bytes = slot.background_bytes + slot.workspace_bytes;
  for (const LiveValue& live : simulation.peak_values) {
    reason.values.push_back(live.value);
  }
  sort_largest_first(program, reason.values);
  return reason;
}

}  // namespace reprise::plan
