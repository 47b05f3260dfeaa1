// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/h_revolve.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

#include "reprise/plan/checks.h"

namespace reprise::plan {
namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();
constexpr std::int64_t kFasterLevel = 0;  // a split that leaves the part to the next faster level

// The best way to reverse a part, and the split that begins it.
struct Choice {
  double time_us = kImpossible;
  std::int64_t split = kFasterLevel;
};

// One level's two tables: Opt_k and Optp_k of the paper.
struct LevelTable {
  std::int64_t room = 0;
  std::vector<Choice> live;  // the first state is live and held nowhere
  std::vector<Choice> held;  // it is live and held in this level, beside the room

  std::size_t index(std::int64_t steps, std::int64_t free) const {
    return static_cast<std::size_t>(steps * (room + 1) + free);
  }
};

class Recurrence {
 public:
  Recurrence(std::int64_t steps, const std::vector<StorageLevel>& levels, const StepCost& cost)
      : steps_(steps), cost_(cost), levels_(levels), tables_(levels.size()) {
    for (std::size_t k = 0; k < levels.size(); ++k) {
      fill(k);
    }
  }

  TimedActions plan() {
    const std::size_t slowest = levels_.size() - 1;
    TimedActions result{.time_us = live(slowest, steps_, tables_[slowest].room).time_us,
                        .actions = {}};
    append_live(slowest, 0, steps_, tables_[slowest].room);
    result.actions = std::move(actions_);
    return result;
  }

 private:
  const Choice& live(std::size_t level, std::int64_t steps, std::int64_t room) const {
    return tables_[level].live[tables_[level].index(steps, room)];
  }
  const Choice& held(std::size_t level, std::int64_t steps, std::int64_t room) const {
    return tables_[level].held[tables_[level].index(steps, room)];
  }
  // The same part by the faster levels alone, all of their room free.
  double faster_us(std::size_t level, std::int64_t steps) const {
    if (level == 0) {
      return kImpossible;
    }
    return live(level - 1, steps, tables_[level - 1].room).time_us;
  }

  void fill(std::size_t level) {
    LevelTable& table = tables_[level];
    table.room = std::min(levels_[level].capacity, steps_);
    const std::size_t cells = table.index(steps_, table.room) + 1;
    table.live.resize(cells);
    table.held.resize(cells);
    for (std::int64_t room = 0; room <= table.room; ++room) {
      table.live[table.index(1, room)] = {.time_us = cost_.turn_us};
      table.held[table.index(1, room)] = {.time_us = cost_.turn_us};
      for (std::int64_t steps = 2; steps <= steps_; ++steps) {
        fill(level, steps, room);
      }
    }
  }

  // `room` counts the place of the first state, so none is left for it at 0.
  void fill(std::size_t level, std::int64_t steps, std::int64_t room) {
    LevelTable& table = tables_[level];
    Choice best{.time_us = faster_us(level, steps)};
    table.live[table.index(steps, room)] = best;
    if (room == 0) {
      return;
    }
    for (std::int64_t split = 1; split < steps; ++split) {
      const double time_us = static_cast<double>(split) * cost_.forward_us +
                             live(level, steps - split, room - 1).time_us + levels_[level].read_us +
                             held(level, split, room).time_us;
      if (time_us < best.time_us) {
        best = {.time_us = time_us, .split = split};
      }
    }
    table.held[table.index(steps, room)] = best;
    best.time_us += levels_[level].write_us;
    if (best.split != kFasterLevel && best.time_us < faster_us(level, steps)) {
      table.live[table.index(steps, room)] = best;
    }
  }

  void append_turn(std::int64_t step) {
    actions_.push_back(record(step));
    actions_.push_back(reverse(step));
  }

  // Recurses once per state held and once per level.
  void append_live(std::size_t level, std::int64_t begin, std::int64_t steps, std::int64_t room) {
    if (steps == 1) {
      append_turn(begin);
    } else if (live(level, steps, room).split == kFasterLevel) {
      append_live(level - 1, begin, steps, tables_[level - 1].room);
    } else {
      actions_.push_back(snapshot(begin, static_cast<int>(level)));
      append_held(level, begin, steps, room);
    }
  }

  void append_held(std::size_t level, std::int64_t begin, std::int64_t steps, std::int64_t room) {
    const int name = static_cast<int>(level);
    while (steps > 1 && held(level, steps, room).split != kFasterLevel) {
      const std::int64_t split = held(level, steps, room).split;
      actions_.push_back(advance(begin, begin + split));
      append_live(level, begin + split, steps - split, room - 1);
      actions_.push_back(restore(begin, name));
      steps = split;
    }
    actions_.push_back(discard(begin, name));
    if (steps == 1) {
      append_turn(begin);
    } else {
      append_live(level - 1, begin, steps, tables_[level - 1].room);
    }
  }

  std::int64_t steps_;
  StepCost cost_;
  const std::vector<StorageLevel>& levels_;
  std::vector<LevelTable> tables_;
  std::vector<Action> actions_;
};

void require_time(const std::string& name, double us) {
  if (!(us >= 0) || !std::isfinite(us)) {
    throw std::invalid_argument("plan_h_revolve: " + name + " must be finite and at least 0, got " +
                                std::to_string(us));
  }
}

}  // namespace

TimedActions plan_h_revolve(std::int64_t steps, const std::vector<StorageLevel>& levels,
                            const StepCost& cost) {
  require_at_least("plan_h_revolve", "steps", steps, 1);
  require_time("forward_us", cost.forward_us);
  require_time("turn_us", cost.turn_us);
  std::int64_t most = 0;
  for (const StorageLevel& level : levels) {
    require_at_least("plan_h_revolve", "capacity", level.capacity, 0);
    require_time("write_us", level.write_us);
    require_time("read_us", level.read_us);
    most = std::max(most, level.capacity);
  }
  require_at_least("plan_h_revolve", "the largest capacity", most, 1);
  return Recurrence(steps, levels, cost).plan();
}

}  // namespace reprise::plan
