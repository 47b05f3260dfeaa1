// SPDX-License-Identifier: Apache-2.0
// The one judge of action lists for chains: runs them on paper, checks every action, and counts.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "reprise/plan/chain/actions.h"

namespace reprise::plan {

inline constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

struct ChainRules {
  std::int64_t steps = 0;
  // Of each storage level: how many states and records it holds at once.
  std::vector<std::int64_t> capacities = {};
  // Rotor's model (rotor.h): the record of a step contains the state it made, which can be restored
  // from it, and reversing a step needs the state it began with, unless its record is in the
  // working memory and has kept that. Without this a record is good for
  // nothing but its reverse, which needs nothing else.
  bool record_holds_output = false;
};

struct LevelCounts {
  std::int64_t writes = 0;     // snapshots and records
  std::int64_t reads = 0;      // restores and reverses
  std::int64_t most_held = 0;  // states and records

  bool operator==(const LevelCounts&) const = default;
};

struct ChainCounts {
  std::int64_t forward_steps = 0;   // all evaluations of steps, the recording ones included
  std::int64_t advanced_steps = 0;  // those that recorded nothing
  std::vector<LevelCounts> levels = {};

  bool operator==(const ChainCounts&) const = default;
};

// Runs `actions` from the start (state 0 live, nothing stored, no step reversed) and checks that
//  1. an advance, a snapshot and a record begin at the live state;
//  2. no step runs that is already reversed, and none is reversed but the last one left;
//  3. what is restored, discarded or reversed with is held in the level named, what is written is
//     not held there yet;
//  4. no level ever holds more than its capacity, and the working memory one record;
//  5. at the end every step is reversed and nothing is held.
// O(actions * log(held)). Throws std::invalid_argument, which names the action, if a check fails.
ChainCounts execute(const ChainRules& rules, const std::vector<Action>& actions);

}  // namespace reprise::plan
