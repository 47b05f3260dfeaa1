// SPDX-License-Identifier: Apache-2.0
// The least cost of reversing a short chain, by Dijkstra's algorithm over everything that can be
// held, live and left: no structure is assumed, any action may follow any other.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "reprise/plan/chain/execute.h"

namespace reprise::plan {

struct BruteForceLevel {
  int capacity = 0;
  double write = 0;
  double read = 0;
};

struct BruteForceChain {
  int steps = 0;
  std::vector<BruteForceLevel> levels = {};
  bool can_store_records = false;
  double turn = 0;         // of a step that is recorded in the working memory and reversed
  int first_held_in = -1;  // the level that holds state 0 at the start, where it takes no room
};

// Costs 1 per step that runs and is not recorded in the working memory, plus turns, reads, writes.
// REQUIRES: at most 8 steps.
inline double brute_force(const BruteForceChain& chain) {
  struct Level {
    unsigned states = 0;
    unsigned records = 0;
    auto operator<=>(const Level&) const = default;
  };
  struct State {
    std::vector<Level> levels;
    int live = 0;
    int left = 0;
    auto operator<=>(const State&) const = default;
  };
  using Entry = std::pair<double, State>;
  std::map<State, double> best;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  const auto reach = [&](const State& state, double cost) {
    const auto [place, is_new] = best.try_emplace(state, cost);
    if (is_new || cost < place->second) {
      place->second = cost;
      queue.emplace(cost, state);
    }
  };
  State start{std::vector<Level>(chain.levels.size()), 0, chain.steps};
  const auto is_free = [&](std::size_t level, int state) {
    return state == 0 && static_cast<int>(level) == chain.first_held_in;
  };
  if (chain.first_held_in >= 0) {
    start.levels[static_cast<std::size_t>(chain.first_held_in)].states = 1;
  }
  reach(start, 0);
  while (!queue.empty()) {
    const auto [cost, state] = queue.top();
    queue.pop();
    if (cost > best[state]) {
      continue;
    }
    if (state.left == 0) {
      return cost;
    }
    const auto reversed = [&] {
      State next = state;
      next.live = -1;
      --next.left;
      for (Level& level : next.levels) {
        level.states &= (1U << next.left) - 1;
        level.records &= (1U << next.left) - 1;
      }
      return next;
    };
    if (state.live == state.left - 1) {
      reach(reversed(), cost + chain.turn);
    } else if (state.live >= 0) {
      State next = state;
      ++next.live;
      reach(next, cost + 1);
    }
    for (std::size_t i = 0; i < state.levels.size(); ++i) {
      const Level& level = state.levels[i];
      const unsigned counted = is_free(i, 0) ? level.states & ~1U : level.states;
      const bool has_room =
          std::popcount(counted) + std::popcount(level.records) < chain.levels[i].capacity;
      if (state.live >= 0 && has_room && (level.states >> state.live & 1U) == 0) {
        State next = state;
        next.levels[i].states |= 1U << state.live;
        reach(next, cost + chain.levels[i].write);
      }
      if (chain.can_store_records && state.live >= 0 && state.live < state.left && has_room &&
          (level.records >> state.live & 1U) == 0) {
        State next = state;
        next.levels[i].records |= 1U << state.live;
        ++next.live;
        reach(next, cost + 1 + chain.levels[i].write);
      }
      if ((level.records >> (state.left - 1) & 1U) != 0) {
        reach(reversed(), cost + chain.levels[i].read);
      }
      for (int at = 0; at < state.left; ++at) {
        if ((level.states >> at & 1U) != 0) {
          State next = state;
          next.live = at;
          reach(next, cost + chain.levels[i].read);
          next = state;
          next.levels[i].states &= ~(1U << at);
          reach(next, cost);
        }
        if ((level.records >> at & 1U) != 0) {
          State next = state;
          next.levels[i].records &= ~(1U << at);
          reach(next, cost);
        }
      }
    }
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace reprise::plan
