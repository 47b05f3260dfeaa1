// SPDX-License-Identifier: Apache-2.0
// Any list of replays at any use is a valid schedule: here are some of no use to anyone.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"

namespace reprise::plan {

// A share of the uses, also drawn, gets one to five replays, of anything that may run again.
inline Schedule random_schedule(const Program& program, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  std::vector<int> replayable;
  for (std::size_t i = 0; i < program.recipes.size(); ++i) {
    if (program.recipes[i].replayable) {
      replayable.push_back(static_cast<int>(i));
    }
  }
  Schedule schedule;
  const std::uint64_t percent = draw() % 101;
  for (std::size_t use = 0; use < program.uses.size() && !replayable.empty(); ++use) {
    if (draw() % 100 >= percent) {
      continue;
    }
    Replays replays{.before_use = static_cast<int>(use), .recipes = {}};
    for (std::uint64_t count = 1 + draw() % 5; count > 0; --count) {
      replays.recipes.push_back(replayable[draw() % replayable.size()]);
    }
    schedule.replays.push_back(std::move(replays));
  }
  return schedule;
}

}  // namespace reprise::plan
