// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/plan_follower.h"

#include <algorithm>

namespace reprise::tape {
namespace {

void run(const PassPlan::Replay& replay, const PassParts& parts) {
  RebuildRequest request{.wanted = replay.makes, .anew = true};
  // What a recipe makes beside what is needed.
  std::erase_if(request.wanted, [&parts](ValueId value) { return !parts.tape.may_rebuild(value); });
  request.has_use = [&](ValueId value) {
    return std::find(replay.makes.begin(), replay.makes.end(), value) != replay.makes.end();
  };
  request.take = [&](ValueId value, const c10::Storage& storage) {
    parts.held.hold(parts.tape.values().root(value), storage);
  };
  parts.rebuild(request);
}

}  // namespace

void PlanFollower::before_op(const PassParts& parts, const c10::OperatorHandle& op) {
  if (fallback_) {
    fallback_->before_op(parts, op);
  }
}

void PlanFollower::depart(const PassParts& parts) {
  fallback_.emplace(limits_);
  makes_room_ = true;
  fallback_->adopt(parts);
  // What only later replays were to read.
  for (ValueId root = 0; root < parts.held.size(); ++root) {
    if (!parts.is_needed(root)) {
      parts.held.drop(root);
    }
  }
}

bool PlanFollower::is_planned(std::size_t op, std::uint64_t hash) const {
  return op < plan_->hashes_after_ops.size() && plan_->hashes_after_ops[op] == hash;
}

void PlanFollower::switch_plan(const PassParts& parts, std::size_t op) {
  auto other = callbacks_.find_other(op, parts.hash);
  if (!other) {
    depart(parts);
    return;
  }
  plan_ = std::move(other);
  for (ValueId root = 0; root < parts.tape.values().size(); ++root) {
    const auto index = static_cast<std::size_t>(root);
    if (index >= plan_->is_kept.size() || !plan_->is_kept[index]) {
      parts.held.drop(root);
    } else if (c10::Storage storage = parts.tape.values().storage_of(root)) {
      parts.held.hold(root, std::move(storage));
    }
  }
}

void PlanFollower::after_op(const PassParts& parts, OpId id) {
  if (fallback_) {
    fallback_->after_op(parts, id);
    return;
  }
  if (parts.is_late) {
    return;  // such as the gradient that a second backward starts from
  }
  const auto index = static_cast<std::size_t>(id);
  if (!is_planned(index, parts.hash)) {
    switch_plan(parts, index);
    return;
  }
  for (const MadeResult& made : parts.tape.op(id).results) {
    if (plan_->is_kept[static_cast<std::size_t>(made.value)]) {
      parts.held.hold(made.value, parts.tape.values().storage_of(made.value));
    }
  }
}

void PlanFollower::on_save(const PassParts& parts, ValueId root, const c10::Storage& storage) {
  if (parts.is_late && !fallback_) {
    depart(parts);
  }
  if (fallback_) {
    fallback_->on_save(parts, root, storage);
  }
}

void PlanFollower::begin_use(const PassParts& parts, std::int64_t node) {
  if (fallback_) {
    fallback_->begin_use(parts, node);
    return;
  }
  if (parts.hash != plan_->forward_hash || next_use_ >= plan_->uses.size() ||
      plan_->uses[next_use_].node != node) {
    depart(parts);
    fallback_->begin_use(parts, node);
    return;
  }
  if (next_use_ == 0) {
    callbacks_.before_backward();
  }
  for (const PassPlan::Replay& each : plan_->uses[next_use_].replays) {
    run(each, parts);
    for (const ValueId root : each.ends) {
      parts.held.drop(root);
    }
  }
}

void PlanFollower::end_use(const PassParts& parts) {
  if (fallback_) {
    fallback_->end_use(parts);
    return;
  }
  for (const ValueId root : plan_->uses[next_use_].ends) {
    parts.held.drop(root);
  }
  ++next_use_;
}

void PlanFollower::on_missing_made(const PassParts& parts, ValueId root) {
  if (fallback_) {
    fallback_->on_missing_made(parts, root);
  }
}

void PlanFollower::on_unneeded(const PassParts& parts, ValueId root) {
  if (fallback_) {
    fallback_->on_unneeded(parts, root);
  }
}

void PlanFollower::make_room(const PassParts& parts, std::int64_t bytes) {
  if (fallback_) {
    fallback_->make_room(parts, bytes);
  }
}

}  // namespace reprise::tape
