// SPDX-License-Identifier: Apache-2.0
// A schedule in one line of a test.
#pragma once

#include <utility>
#include <vector>

#include "reprise/plan/schedule.h"

namespace reprise::plan {

inline Schedule schedule_of(std::vector<Replays> replays) {
  Schedule schedule;
  schedule.replays = std::move(replays);
  return schedule;
}

}  // namespace reprise::plan
