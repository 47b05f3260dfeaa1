// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/mixed.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "reprise/plan/checks.h"

namespace reprise::plan {
namespace {

// Twice this must not overflow.
constexpr std::int64_t kImpossible = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::int64_t kRecordFirst = 1;

struct Cell {
  std::int64_t forward_steps = kImpossible;
  std::int64_t split = kRecordFirst;  // else: store the first state and advance so many steps
};

class Table {
 public:
  // More room than all records but the last one takes is never used.
  Table(std::int64_t steps, std::int64_t capacity)
      : capacity_(std::min(capacity, std::max<std::int64_t>(steps - 1, 1))),
        cells_(static_cast<std::size_t>((steps + 1) * (capacity_ + 1))) {
    for (std::int64_t room = 0; room <= capacity_; ++room) {
      cell(1, room).forward_steps = 1;
    }
    // Room by room: within one, shorter chains first, as the left part has the same room.
    for (std::int64_t room = 1; room <= capacity_; ++room) {
      for (std::int64_t n = 2; n <= steps; ++n) {
        fill(n, room);
      }
    }
  }

  std::int64_t capacity() const { return capacity_; }
  const Cell& at(std::int64_t steps, std::int64_t room) const {
    return cells_[static_cast<std::size_t>(steps * (capacity_ + 1) + room)];
  }

 private:
  Cell& cell(std::int64_t steps, std::int64_t room) {
    return cells_[static_cast<std::size_t>(steps * (capacity_ + 1) + room)];
  }

  void fill(std::int64_t n, std::int64_t room) {
    Cell best{.forward_steps = 1 + at(n - 1, room - 1).forward_steps, .split = kRecordFirst};
    for (std::int64_t i = 2; i < n; ++i) {
      const std::int64_t forward_steps =
          i + at(i, room).forward_steps + at(n - i, room - 1).forward_steps;
      if (forward_steps < best.forward_steps) {
        best = {.forward_steps = forward_steps, .split = i};
      }
    }
    best.forward_steps = std::min(best.forward_steps, kImpossible);
    cell(n, room) = best;
  }

  std::int64_t capacity_;
  std::vector<Cell> cells_;
};

// Reverses [begin, end) with `room` left, from the live state `begin`. Recurses once per thing
// held.
void append_part(std::vector<Action>& actions, const Table& table, std::int64_t begin,
                 std::int64_t end, std::int64_t room) {
  bool is_held = false;
  while (end - begin > 1 && table.at(end - begin, room).split != kRecordFirst) {
    const std::int64_t middle = begin + table.at(end - begin, room).split;
    if (!is_held) {
      actions.push_back(snapshot(begin));
      is_held = true;
    }
    actions.push_back(advance(begin, middle));
    append_part(actions, table, middle, end, room - 1);
    actions.push_back(restore(begin));
    end = middle;
  }
  if (is_held) {
    actions.push_back(discard(begin));
  }
  if (end - begin == 1) {
    actions.push_back(record(begin));
    actions.push_back(reverse(begin));
    return;
  }
  actions.push_back(record(begin, 0));
  append_part(actions, table, begin + 1, end, room - 1);
  actions.push_back(reverse(begin, 0));
}

Table table_for(const char* place, std::int64_t steps, std::int64_t capacity) {
  require_at_least(place, "steps", steps, 1);
  require_at_least(place, "capacity", capacity, 1);
  return {steps, capacity};
}

}  // namespace

std::int64_t mixed_forward_steps(std::int64_t steps, std::int64_t capacity) {
  const Table table = table_for("mixed_forward_steps", steps, capacity);
  return table.at(steps, table.capacity()).forward_steps;
}

std::vector<Action> mixed_actions(std::int64_t steps, std::int64_t capacity) {
  const Table table = table_for("mixed_actions", steps, capacity);
  std::vector<Action> actions;
  append_part(actions, table, 0, steps, table.capacity());
  return actions;
}

}  // namespace reprise::plan
