// SPDX-License-Identifier: Apache-2.0
// What a planner decides: which recipes run again just before which use of backward. Everything
// else follows (simulate.h says how), and any list of replays at any use is a valid schedule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reprise::plan {

// Recipes to run, in order, just before one use.
struct Replays {
  int before_use = 0;
  std::vector<int> recipes;

  bool operator==(const Replays&) const = default;
};

// The recipes before `use`, for more to be added; an entry of its own if there is none.
// REQUIRES: no entry is for a later use.
inline std::vector<int>& recipes_before(std::vector<Replays>& replays, int use) {
  if (replays.empty() || replays.back().before_use != use) {
    replays.push_back({.before_use = use, .recipes = {}});
  }
  return replays.back().recipes;
}

struct Schedule {
  std::string program_hash;  // of the program that it was made for; empty: not stated
  std::string planner;
  std::int64_t budget_bytes = 0;          // 0: none was given
  std::int64_t predicted_peak_bytes = 0;  // of its simulation, as is the next; both 0: not stated
  double predicted_recompute_us = 0;
  std::vector<Replays> replays;  // ascending `before_use`, each at most once, none empty

  bool operator==(const Schedule&) const = default;
};

}  // namespace reprise::plan
