// SPDX-License-Identifier: Apache-2.0
// Disk-Revolve: the fastest reversal of a chain of equal steps with a few snapshots in memory,
// which cost nothing, and any number on a disk, where writes and reads take time.
//
// Aupy, Herrmann, Hovland, Robert 2016 (SIAM Journal on Scientific Computing 38); with a fixed
// period: Aupy & Herrmann 2017. Optimal in that model, in which nothing overlaps. Memory is level
// 0, the disk is level 1; `memory` counts snapshots, the first state of a part among them.
#pragma once

#include <cstdint>
#include <vector>

#include "reprise/plan/chain/h_revolve.h"

namespace reprise::plan {

struct DiskCost {
  StepCost step = {};
  double write_us = 2;
  double read_us = 2;
};

// How often a state on disk may be read.
enum class DiskReads { kAnyNumber, kOnce };

// The least time if the initial state is live and
//  - there is no disk, or
//  - the initial state is on the disk already and nothing else goes there, or
//  - nothing is stored and the disk is unlimited: the time of plan_disk_revolve().
// O(steps^2); only the middle one and the last depend on `reads`.
struct DiskRevolveTimes {
  double memory_only_us = 0;
  double first_on_disk_us = 0;
  double unlimited_disk_us = 0;

  bool operator==(const DiskRevolveTimes&) const = default;
};
// Throws std::invalid_argument unless steps >= 1, memory >= 1 and times are finite and >= 0, as
// everything below does.
DiskRevolveTimes disk_revolve_times(std::int64_t steps, std::int64_t memory, const DiskCost& cost,
                                    DiskReads reads = DiskReads::kAnyNumber);

// The schedule with an unlimited disk. O(steps^2).
TimedActions plan_disk_revolve(std::int64_t steps, std::int64_t memory, const DiskCost& cost,
                               DiskReads reads = DiskReads::kAnyNumber);

// The period that is best for endless chains: the m <= most_period that minimises
//   (write_us + read_us + time to reverse m steps whose first state is on disk) / m;
// of equals the smallest. O(most_period^2).
std::int64_t disk_period(std::int64_t most_period, std::int64_t memory, const DiskCost& cost,
                         DiskReads reads = DiskReads::kAnyNumber);

// Writes every `period`-th state to disk on the way forward, but none from which the rest is
// reversed at once, and reverses the periods in memory, each after one read.
// Throws std::invalid_argument also unless period >= 1.
TimedActions plan_periodic_disk(std::int64_t steps, std::int64_t memory, std::int64_t period,
                                const DiskCost& cost);

}  // namespace reprise::plan
