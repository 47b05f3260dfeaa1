// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/online_policy.h"

#include <algorithm>

#include "reprise/plan/dtr/scores.h"
#include "reprise/tape/counting_allocator.h"
#include "reprise/tape/thread_clock.h"

namespace reprise::tape {

OnlinePolicy::Entry& OnlinePolicy::at(ValueId root) {
  const auto index = static_cast<std::size_t>(root);
  if (index >= entries_.size()) {
    entries_.resize(index + 1);
  }
  return entries_[index];
}

bool OnlinePolicy::is_told_of_allocations() const {
  return limits_.memory.device().is_cpu() && has_allocation_gate();
}

void OnlinePolicy::make_room_unasked(const PassParts& parts, std::int64_t bytes) {
  if (!is_told_of_allocations()) {
    make_room(parts, bytes);
  }
}

void OnlinePolicy::before_op(const PassParts& parts, const c10::OperatorHandle& op) {
  if (!is_told_of_allocations()) {
    const auto known = growth_.find(op.operator_name());
    make_room(parts, known == growth_.end() ? 0 : known->second);
    live_before_op_ = limits_.memory.live_bytes();
  }
  op_began_us_ = thread_cpu_us();
}

// Notes what the op made from what.
void OnlinePolicy::link(const PassParts& parts, const OpRecord& op, double cost_us) {
  c10::SmallVector<ValueId, 4> made;
  for (const MadeResult& result : op.results) {
    made.push_back(result.value);  // the first of its storage
  }
  for (const Write& write : op.written) {
    made.push_back(parts.tape.values().root(write.after));
  }
  for (const ValueId root : made) {
    at(root).cost_us += cost_us;
    touch(root);
  }
  op.for_each_read([&](const TensorRef& ref) {
    const ValueId read = parts.tape.values().root(ref.value);
    if (parts.is_external(read)) {
      return;
    }
    touch(read);
    for (const ValueId root : made) {
      if (root != read) {
        at(root).neighbours.push_back(read);
        at(read).neighbours.push_back(root);
      }
    }
  });
}

void OnlinePolicy::adopt(const PassParts& parts) {
  static constexpr double cost_us = 1;
  for (OpId id = 0; id < parts.tape.ops(); ++id) {
    clock_us_ += cost_us;
    link(parts, parts.tape.op(id), cost_us);
  }
}

void OnlinePolicy::after_op(const PassParts& parts, OpId id) {
  const double cost_us = std::max(0.0, thread_cpu_us() - op_began_us_);
  clock_us_ += cost_us;
  link(parts, parts.tape.op(id), cost_us);
  if (!is_told_of_allocations()) {
    std::int64_t& growth = growth_[parts.tape.op(id).op.operator_name()];
    growth = std::max(growth, limits_.memory.live_bytes() - live_before_op_);
    make_room(parts, 0);
  }
}

// A graph may be used many times: replays count from the begin of each backward.
void OnlinePolicy::count_replays(const PassParts& parts) {
  const int backward = current_backward();
  if (std::exchange(backward_, backward) != backward) {
    replays_at_begin_ = parts.tape.replayed_ops();
  }
  const auto replays = static_cast<double>(parts.tape.replayed_ops() - replays_at_begin_);
  is_thrashing_ = is_thrashing_ || replays > limits_.most_replays_per_op * parts.tape.ops();
}

void OnlinePolicy::begin_use(const PassParts& parts, std::int64_t /*node*/) {
  count_replays(parts);
  make_room_unasked(parts, 0);
}

void OnlinePolicy::end_use(const PassParts& parts) { make_room_unasked(parts, 0); }

void OnlinePolicy::on_save(const PassParts& parts, ValueId root, const c10::Storage& storage) {
  touch(root);
  parts.held.hold(root, storage);
}

void OnlinePolicy::on_missing_made(const PassParts& parts, ValueId root) {
  touch(root);
  Entry& entry = at(root);
  if (entry.member != kNoMember) {
    classes_.subtract(entry.member, entry.cost_us);
    entry.member = kNoMember;
  }
  make_room_unasked(parts, 0);
}

void OnlinePolicy::on_unneeded(const PassParts& parts, ValueId root) { parts.held.drop(root); }

double OnlinePolicy::score(ValueId root, std::int64_t bytes) {
  near_classes_.clear();
  for (const ValueId neighbour : at(root).neighbours) {
    if (at(neighbour).member != kNoMember) {
      near_classes_.add(classes_, at(neighbour).member);
    }
  }
  return plan::dtr::h_dtr({.cost_us = at(root).cost_us,
                           .neighbourhood_us = near_classes_.cost_us(),
                           .bytes = bytes,
                           .staleness_us = clock_us_ - at(root).last_use_us});
}

ValueId OnlinePolicy::pick_victim(const PassParts& parts) {
  ValueId victim = kNoValue;
  double lowest = std::numeric_limits<double>::infinity();
  for (const ValueId root : parts.held.roots()) {
    if (!parts.held.is_sole_holder(root) ||
        !limits_.memory.counts(parts.tape.values().at(root).device)) {
      continue;
    }
    const double value_score = score(root, parts.held.bytes(root));
    // Of equal ones the first that forward made, whatever the order of the holdings.
    if (value_score < lowest || (value_score == lowest && root < victim)) {
      lowest = value_score;
      victim = root;
    }
  }
  return victim;
}

// What is made from a value that is gone, or what it is made from, is dearer to evict. Values that
// nobody saved are gone as soon as user code lets go of them, which shows only here.
void OnlinePolicy::note_gone(const PassParts& parts, ValueId root) {
  std::vector<ValueId> open = {root};
  at(root).member = classes_.add(at(root).cost_us);
  while (!open.empty()) {
    const ValueId gone = open.back();
    open.pop_back();
    for (const ValueId neighbour : at(gone).neighbours) {
      if (at(neighbour).member == kNoMember && !parts.held.holds(neighbour) &&
          parts.tape.values().at(neighbour).made_in.expired()) {
        at(neighbour).member = classes_.add(at(neighbour).cost_us);
        open.push_back(neighbour);
      }
      if (at(neighbour).member != kNoMember) {
        classes_.unite(at(gone).member, at(neighbour).member);
      }
    }
  }
}

void OnlinePolicy::evict(const PassParts& parts, ValueId root) {
  parts.held.drop(root);
  note_gone(parts, root);
  ++evictions_;
}

void OnlinePolicy::make_room(const PassParts& parts, std::int64_t bytes) {
  while (!is_thrashing_ && limits_.memory.live_bytes() > limits_.most_live_bytes - bytes) {
    const ValueId victim = pick_victim(parts);
    if (victim == kNoValue) {
      return;
    }
    evict(parts, victim);
  }
}

}  // namespace reprise::tape
