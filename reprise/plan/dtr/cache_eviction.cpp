// SPDX-License-Identifier: Apache-2.0
// What a Cache evicts when it needs room, and what each value's score is.
#include <algorithm>
#include <tuple>
#include <utility>

#include "reprise/plan/dtr/cache.h"

namespace reprise::plan::dtr {

bool Cache::make_room(std::int64_t extra_bytes) {
  while (used_bytes_ + other_bytes_ + extra_bytes > options_.budget_bytes) {
    const int victim = pick_victim();
    if (victim < 0) {
      ++overruns_;
      return false;
    }
    evict(victim);
  }
  return true;
}

bool Cache::may_go(const Entry& entry) const {
  const bool can_come_back = entry.op >= 0 && op_at(entry.op).can_rerun;
  const bool is_missed_by_nobody = !entry.is_wanted && entry.read_by.empty();
  return entry.locks == 0 && !entry.is_pinned && (can_come_back || is_missed_by_nobody);
}

// Calls visit(other) for each value that the value is made from or that is made from it.
template <class Visit>
void Cache::visit_neighbours(int value, const Visit& visit) const {
  const Entry& entry = at(value);
  if (entry.op >= 0) {
    const std::vector<int>& inputs = op_at(entry.op).inputs;
    std::for_each(inputs.begin(), inputs.end(), visit);
  }
  for (const int reader : entry.read_by) {
    const std::vector<int>& outputs = op_at(reader).outputs;
    std::for_each(outputs.begin(), outputs.end(), visit);
  }
}

void Cache::evict(int value) {
  Entry& entry = at(value);
  entry.state = State::kEvicted;
  used_bytes_ -= entry.bytes;
  pool_.erase(std::find(pool_.begin(), pool_.end(), value));
  entry.cost_class = classes_.add(entry.op >= 0 ? op_at(entry.op).cost_us : 0);
  visit_neighbours(value, [&](int other) {
    if (at(other).state == State::kEvicted) {
      classes_.unite(entry.cost_class, at(other).cost_class);
    }
  });
}

int Cache::pick_victim() {
  int victim = -1;
  std::tuple<bool, bool, double> lowest;  // small ones last, unwanted ones first
  for (const int value : pool_) {
    if (!may_step()) {
      return -1;
    }
    const Entry& entry = at(value);
    if (!may_go(entry)) {
      continue;
    }
    const bool is_small = entry.bytes < options_.minimum_bytes || entry.bytes == 0;
    if (victim >= 0 && std::pair(is_small, entry.is_wanted) >
                           std::pair(std::get<0>(lowest), std::get<1>(lowest))) {
      continue;  // whatever its score, which may take long to work out
    }
    const std::tuple<bool, bool, double> rank{is_small, entry.is_wanted, score(value)};
    if (victim < 0 || rank < lowest) {
      victim = value;
      lowest = rank;
    }
  }
  return victim;
}

double Cache::score(int value) {
  const Entry& entry = at(value);
  Facts facts{.cost_us = entry.op >= 0 ? op_at(entry.op).cost_us : 0,
              .bytes = entry.bytes,
              .staleness_us = clock_us_ - entry.last_read_us};
  switch (options_.score) {
    case Score::kDtr:
    case Score::kNeighbourhood:
      facts.neighbourhood_us = neighbourhood_us(value, true);
      break;
    case Score::kMsps:
      facts.neighbourhood_us = neighbourhood_us(value, false);
      break;
    case Score::kEq:
      facts.neighbourhood_us = classes_us(value);
      break;
    case Score::kLocal:
    case Score::kLru:
    case Score::kSize:
      break;
  }
  return evaluate(options_.score, facts);
}

// The ops that would have to run to rebuild the value now, and, if wanted, those that then have to
// wait for it: two searches through values that are not there.
double Cache::neighbourhood_us(int value, bool with_descendants) {
  ++mark_;
  double sum_us = 0;
  std::vector<int> open = {value};
  const auto visit = [&](int other) {
    const Entry& entry = at(other);
    const bool is_missing = entry.state == State::kEvicted || entry.state == State::kRunning;
    if (!is_missing ||
        std::exchange(seen_values_[static_cast<std::size_t>(other)], mark_) == mark_) {
      return;
    }
    open.push_back(other);
    if (entry.op >= 0 &&
        std::exchange(seen_ops_[static_cast<std::size_t>(entry.op)], mark_) != mark_) {
      sum_us += op_at(entry.op).cost_us;
    }
  };
  while (!open.empty() && may_step()) {
    const int op = at(open.back()).op;
    open.pop_back();
    if (op >= 0) {
      std::for_each(op_at(op).inputs.begin(), op_at(op).inputs.end(), visit);
    }
  }
  if (with_descendants) {
    open = {value};
  }
  while (!open.empty() && may_step()) {
    const int from = open.back();
    open.pop_back();
    for (const int reader : at(from).read_by) {
      std::for_each(op_at(reader).outputs.begin(), op_at(reader).outputs.end(), visit);
    }
  }
  return sum_us;
}

// The costs of the distinct classes next to the value: what most evictions spend their time on.
double Cache::classes_us(int value) {
  near_classes_.clear();
  visit_neighbours(value, [&](int other) {
    if (at(other).state == State::kEvicted) {
      near_classes_.add(classes_, at(other).cost_class);
    }
  });
  return near_classes_.cost_us();
}

}  // namespace reprise::plan::dtr
