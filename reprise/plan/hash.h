// SPDX-License-Identifier: Apache-2.0
// Names for programs and schedules that two machines agree on.
#pragma once

#include <string>

#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"

namespace reprise::plan {

// SHA-256, as 64 hexadecimal digits, of the program's *structure*: values (bytes, external,
// made_at, released_at, recipe), recipes (name, inputs, outputs, ops, transient bytes, random,
// replayable), uses (name, needs, background bytes), forward_peak_bytes and resident_bytes, written
// as integers of 8 bytes, little-endian, strings and lists after their lengths, in that order.
// Times, labels, shapes and the program's name and device stay out, so that two recordings of one
// step, or two ranks, have one hash. O(size of the program).
std::string program_hash(const Program& program);

// The same over a schedule's replays and the hash of its program.
std::string schedule_hash(const Schedule& schedule);

}  // namespace reprise::plan
