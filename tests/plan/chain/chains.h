// SPDX-License-Identifier: Apache-2.0
// Chains of unequal stages for tests, and slow and obvious ways to solve them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "reprise/plan/chain/stage_chain.h"

namespace reprise::plan {

inline constexpr double kNever = std::numeric_limits<double>::infinity();

// Stages with one option each, from the tables of the rotor model, then a loss: no cost, no bytes.
// `state_bytes` begins with the input.
struct ChainTable {
  std::vector<double> forward_us;
  std::vector<double> backward_us;
  std::vector<std::int64_t> state_bytes;
  std::vector<std::int64_t> record_bytes;
  std::int64_t forward_transient_bytes = 0;
  std::int64_t backward_transient_bytes = 0;
};

inline Chain chain_of(const ChainTable& table) {
  Chain chain{.input_bytes = table.state_bytes[0], .stages = {}};
  for (std::size_t i = 0; i < table.forward_us.size(); ++i) {
    chain.stages.push_back(
        {.forward_us = table.forward_us[i],
         .output_bytes = table.state_bytes[i + 1],
         .transient_bytes = table.forward_transient_bytes,
         .options = {{.forward_us = table.forward_us[i],
                      .backward_us = table.backward_us[i],
                      .saved_bytes = table.record_bytes[i],
                      .forward_transient_bytes = table.forward_transient_bytes,
                      .backward_transient_bytes = table.backward_transient_bytes}}});
  }
  chain.stages.push_back({.options = {{}}});
  return chain;
}

inline Chain uniform6() {
  return chain_of({.forward_us = {1, 1, 1, 1, 1, 1},
                   .backward_us = {2, 2, 2, 2, 2, 2},
                   .state_bytes = {1, 1, 1, 1, 1, 1, 1},
                   .record_bytes = {2, 2, 2, 2, 2, 2}});
}

inline Chain hetero5() {
  return chain_of({.forward_us = {3, 1, 4, 1, 5},
                   .backward_us = {6, 2, 8, 2, 10},
                   .state_bytes = {2, 4, 1, 3, 2, 1},
                   .record_bytes = {6, 3, 5, 4, 3}});
}

inline Chain pyramid6() {
  return chain_of({.forward_us = {4, 3, 2, 2, 1, 1},
                   .backward_us = {8, 6, 4, 4, 2, 2},
                   .state_bytes = {8, 8, 4, 4, 2, 2, 1},
                   .record_bytes = {24, 12, 12, 6, 6, 3},
                   .forward_transient_bytes = 2,
                   .backward_transient_bytes = 4});
}

inline Chain cheapbig5() {
  return chain_of({.forward_us = {1, 9, 1, 9, 1},
                   .backward_us = {2, 18, 2, 18, 2},
                   .state_bytes = {4, 4, 4, 4, 4, 4},
                   .record_bytes = {12, 5, 12, 5, 12}});
}

// 1 to `most_stages` stages with 1 to 3 options each, small numbers, so that ties are common.
inline Chain random_chain(unsigned seed, int most_stages) {
  std::mt19937 random(seed);
  const auto draw = [&](int least, int most) {
    return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
  };
  Chain chain{.input_bytes = draw(0, 6), .stages = {}};
  const int stages = draw(1, most_stages);
  for (int i = 0; i < stages; ++i) {
    Stage stage{.forward_us = static_cast<double>(draw(0, 9)),
                .output_bytes = draw(0, 6),
                .transient_bytes = draw(0, 2),
                .options = {}};
    const int options = draw(1, 3);
    for (int k = 0; k < options; ++k) {
      stage.options.push_back({.forward_us = static_cast<double>(draw(0, 9)),
                               .backward_us = static_cast<double>(draw(0, 9)),
                               .saved_bytes = stage.output_bytes + draw(0, 6),
                               .forward_transient_bytes = draw(0, 3),
                               .backward_transient_bytes = draw(0, 3)});
    }
    chain.stages.push_back(stage);
  }
  return chain;
}

// One option that costs what the stage does, and transient bytes that include the record's rest.
inline Chain random_plain_chain(unsigned seed) {
  Chain chain = random_chain(seed, 7);
  for (Stage& stage : chain.stages) {
    stage.options.resize(1);
    StageOption& option = stage.options[0];
    option.forward_us = stage.forward_us;
    stage.transient_bytes =
        option.forward_transient_bytes + option.saved_bytes - stage.output_bytes;
  }
  return chain;
}

// The fastest memory-persistent plan by the recurrence of the paper, byte by byte.
inline double persistent_us(const Chain& chain, std::int64_t budget_bytes) {
  using Key = std::tuple<int, int, std::int64_t>;
  std::map<Key, double> known;
  const auto bytes = [&](int state) { return state_bytes(chain, state); };
  std::function<double(int, int, std::int64_t)> solve = [&](int s, int t, std::int64_t m) {
    if (m < 0) {
      return kNever;
    }
    if (const auto place = known.find({s, t, m}); place != known.end()) {
      return place->second;
    }
    double best = kNever;
    for (const StageOption& option : chain.stages[s].options) {
      const bool fits =
          m >= bytes(t + 1) + option.saved_bytes + option.forward_transient_bytes &&
          m >= bytes(s + 1) + option.saved_bytes + bytes(s) + option.backward_transient_bytes;
      if (fits) {
        best = std::min(best, option.forward_us + option.backward_us +
                                  (s == t ? 0 : solve(s + 1, t, m - option.saved_bytes)));
      }
    }
    double forward_us = 0;
    for (int k = s + 1; k <= t; ++k) {
      const Stage& stage = chain.stages[k - 1];
      forward_us += stage.forward_us;
      if (m < (k - 1 > s ? bytes(k - 1) : 0) + bytes(k) + stage.transient_bytes + bytes(t + 1)) {
        break;
      }
      best = std::min(best, forward_us + solve(k, t, m - bytes(k)) + solve(s, k - 1, m));
    }
    return known[{s, t, m}] = best;
  };
  return solve(0, static_cast<int>(chain.stages.size()) - 1, budget_bytes - chain.input_bytes);
}

// The fastest plan of all, in which anything may be dropped at any time: Dijkstra's algorithm over
// the states held, the records held and the gradient reached. REQUIRES: one option per stage, at
// most 9 stages.
inline double fastest_us(const Chain& chain, std::int64_t budget_bytes) {
  struct Held {
    unsigned states = 0;
    unsigned records = 0;  // bit i: of stage i
    int left = 0;
  };
  using Entry = std::pair<double, std::size_t>;
  const int stages = static_cast<int>(chain.stages.size());
  const auto bytes = [&](int state) { return state_bytes(chain, state); };
  const auto option = [&](int i) -> const StageOption& { return chain.stages[i].options[0]; };
  // Everything that can be held has a number.
  const auto number_of = [&](const Held& held) {
    return static_cast<std::size_t>((held.states << stages | held.records) << 4 |
                                    static_cast<unsigned>(held.left));
  };
  std::vector<double> best(number_of({.states = 2U << stages}), kNever);
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  const auto reach = [&](const Held& held, double cost) {
    const std::size_t number = number_of(held);
    if (cost < best[number]) {
      best[number] = cost;
      queue.emplace(cost, number);
    }
  };
  reach({1U, 0U, stages}, 0);
  while (!queue.empty()) {
    const auto [cost, number] = queue.top();
    queue.pop();
    if (cost > best[number]) {
      continue;
    }
    const auto states = static_cast<unsigned>(number >> 4 >> stages);
    const auto records = static_cast<unsigned>(number >> 4) & ((1U << stages) - 1);
    const auto left = static_cast<int>(number & 15);
    if (left == 0) {
      return cost;
    }
    std::int64_t total = bytes(left);
    for (int i = 0; i <= left; ++i) {
      total += (states >> i & 1U) != 0 ? bytes(i) : 0;
      total += i < left && (records >> i & 1U) != 0 ? option(i).saved_bytes : 0;
    }
    const unsigned available = states | records << 1;
    for (int i = 0; i < left; ++i) {
      if ((available >> i & 1U) == 0) {
        continue;
      }
      const Stage& stage = chain.stages[i];
      if ((states >> (i + 1) & 1U) == 0 &&
          total + stage.output_bytes + stage.transient_bytes <= budget_bytes) {
        reach({states | 1U << (i + 1), records, left}, cost + stage.forward_us);
      }
      if ((records >> i & 1U) == 0 &&
          total + option(i).saved_bytes + option(i).forward_transient_bytes <= budget_bytes) {
        reach({states, records | 1U << i, left}, cost + option(i).forward_us);
      }
    }
    if ((records >> (left - 1) & 1U) != 0 && (available >> (left - 1) & 1U) != 0 &&
        total + bytes(left - 1) + option(left - 1).backward_transient_bytes <= budget_bytes) {
      reach({states & ((1U << left) - 1), records & ((1U << (left - 1)) - 1), left - 1},
            cost + option(left - 1).backward_us);
    }
    for (int i = 0; i <= left; ++i) {
      if (i > 0 && (states >> i & 1U) != 0) {
        reach({states & ~(1U << i), records, left}, cost);
      }
      if ((records >> i & 1U) != 0) {
        reach({states, records & ~(1U << i), left}, cost);
      }
    }
  }
  return kNever;
}

}  // namespace reprise::plan
