// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/pass.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <torch/csrc/autograd/graph_task.h>
#include <torch/csrc/autograd/node.h>

#include "reprise/tape/live_count.h"
#include "reprise/tape/mix.h"
#include "reprise/tape/node_uses.h"
#include "reprise/tape/op_hash.h"

namespace reprise::tape {

Pass::Pass(std::unique_ptr<PassPolicy> policy, const std::shared_ptr<const ExpectedRun>& expected)
    : tape_(expected), policy_(std::move(policy)) {
  if (expected) {
    saved_.reserve(expected->saved.size());
    hashes_after_ops_.reserve(expected->ops.size());
  }
  count_live(1);
}

Pass::~Pass() {
  set_watch(nullptr);
  count_live(-1);
}

void Pass::set_watch(PassWatch* watch) {
  const std::lock_guard lock(tape_.mutex());
  watch_ = watch;
  held_.set_watch(watch);
}

void Pass::before_op(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                     OpArguments arguments) {
  const std::lock_guard lock(tape_.mutex());
  if (tape_.values().has_ended()) {
    tape_.resume();
  }
  if (check_) {
    check_->before_op(op, arguments);
  }
  op_thread_ = std::this_thread::get_id();
  tape_.before_op(op, keys, arguments);
  if (watch_ != nullptr) {
    watch_->before_op();
  }
  policy_->before_op(parts(), op);
}

void Pass::after_op(OpArguments results) {
  const std::lock_guard lock(tape_.mutex());
  if (check_) {
    check_->after_op(tape_);
  }
  op_thread_.reset();
  const OpId next = tape_.ops();
  tape_.after_op(results);
  const OpId id = tape_.ops() > next ? next : kNoOp;
  if (watch_ != nullptr) {
    watch_->after_op(id);
  }
  if (id == kNoOp) {
    return;
  }
  if (!has_had_backward_) {
    hash_ = mix(hash_, tape_.op(id).digest);
    hashes_after_ops_.push_back(hash_);
  }
  policy_->after_op(parts(), id);
  if (check_ && !has_had_backward_) {
    OpCheck::replay(tape_, id);
  }
}

std::int64_t Pass::add_value(const at::Tensor& tensor) {
  const std::lock_guard lock(tape_.mutex());
  const auto index = static_cast<std::int64_t>(saved_.size());
  saved_.push_back(
      {.ref = tape_.saved(tensor), .version = SeenVersion(tensor), .node = nodes_.current()});
  ++needed_;
  newest_needed_ = saved_.size();
  const ValueId root = root_of(index);
  if (static_cast<std::size_t>(root) >= handles_.size()) {
    handles_.resize(static_cast<std::size_t>(root) + 1, 0);
  }
  ++handles_[static_cast<std::size_t>(root)];
  const bool is_made = !parts().is_external(root);
  if (watch_ != nullptr) {
    watch_->on_save(at(index).node, is_made);
  }
  if (is_made) {
    if (!has_had_backward_) {
      hash_ = mix(hash_, digest_of(at(index).ref));
    }
    policy_->on_save(parts(), root, tensor.storage());
  } else if (!tape_.values().at(at(index).ref.value).is_external()) {
    at(index).kept = tensor.storage();
  }
  return index;
}

std::shared_ptr<const ExpectedRun> Pass::expected_again() const {
  ExpectedRun run{.ops = tape_.records(), .saved = {}};
  run.saved.reserve(saved_.size());
  for (const SavedValue& each : saved_) {
    run.saved.push_back(each.ref);
  }
  return std::make_shared<const ExpectedRun>(std::move(run));
}

void Pass::move_on(std::int64_t index) {
  const std::lock_guard lock(tape_.mutex());
  at(index).ref.value = tape_.after_last_op(at(index).ref.value);
}

void Pass::end_forward() {
  const std::lock_guard lock(tape_.mutex());
  if (!tape_.values().has_ended()) {
    tape_.end();
  }
}

void Pass::make_room(std::int64_t bytes) {
  if (!policy_->makes_room()) {
    return;
  }
  // Kernels allocate while they hold the lock of their generator, which a replay on another thread
  // may wait for.
  if (const std::unique_lock lock(tape_.mutex(), std::try_to_lock); lock.owns_lock()) {
    policy_->make_room(parts(), bytes);
  }
}

void Pass::enter_backward() {
  const int backward = current_backward();
  if (backward == backward_) {
    return;
  }
  end_use();  // of a backward that threw
  backward_ = backward;
  if (backward == kNoBackward) {
    return;
  }
  has_had_backward_ = true;
  at_end_of_backward([weak = weak_from_this(), backward](bool has_returned) {
    if (const auto pass = weak.lock()) {
      const std::lock_guard lock(pass->tape_.mutex());
      pass->has_failed_ = pass->has_failed_ || !has_returned;
      if (pass->backward_ == backward) {
        pass->end_use();
        pass->backward_ = kNoBackward;
        if (pass->watch_ != nullptr) {
          pass->watch_->on_backward_end();
        }
      }
    }
  });
}

void Pass::begin_use(std::int64_t index) {
  end_use();
  using_node_ = at(index).node;
  if (watch_ != nullptr) {
    const auto node = torch::autograd::get_current_node();
    watch_->on_use_begin(using_node_, node ? node->name() : "");
  }
  policy_->begin_use(parts(), using_node_);
}

void Pass::end_use() {
  if (std::exchange(using_node_, kNoNode) == kNoNode) {
    return;
  }
  if (watch_ != nullptr) {
    watch_->on_use_end();
  }
  policy_->end_use(parts());
}

c10::Storage Pass::storage_of(std::int64_t index) {
  const ValueId value = tape_.values().surviving(at(index).ref);
  if (c10::Storage storage = tape_.values().find(value)) {
    return storage;
  }
  RebuildRequest request{.wanted = {value}};
  request.has_use = [this](ValueId made) {
    return tape_.values().at(made).next == kNoValue && parts().is_needed(tape_.values().root(made));
  };
  request.take = [this](ValueId made, const c10::Storage& storage) {
    const ValueId root = tape_.values().root(made);
    held_.hold(root, storage);
    policy_->on_missing_made(parts(), root);
  };
  return parts().rebuild(request)[0];
}

at::Tensor Pass::value(std::int64_t index) {
  note_node_use(*this, index);
  const std::lock_guard lock(tape_.mutex());
  at(index).version.require_unchanged([&] {
    std::ostringstream what;
    what << "a tensor of shape " << c10::IntArrayRef(at(index).ref.view->sizes)
         << " that a step under a budget saved for backward";
    return what.str();
  });
  if (!is_op_elsewhere()) {
    end_forward();
  }
  enter_backward();
  if (at(index).node != using_node_) {
    begin_use(index);
  }
  if (watch_ != nullptr) {
    watch_->on_use_value(at(index).ref);
  }
  if (const at::Tensor& opaque = tape_.values().at(at(index).ref.value).opaque; opaque.defined()) {
    return opaque;
  }
  return at(index).ref.view->over(storage_of(index));
}

void Pass::drop_value(std::int64_t index) {
  const std::lock_guard lock(tape_.mutex());
  if (at(index).node == using_node_) {
    end_use();
  }
}

// Backward goes from the last op to the first. Before it has begun, who knows what forward may
// save.
void Pass::forget_states() {
  if (!has_had_backward_ || is_op_elsewhere() || saved_[newest_needed_ - 1].is_needed) {
    return;
  }
  for (std::size_t i = last_ops_.size(); i < saved_.size(); ++i) {
    const ValueTable& values = tape_.values();
    const OpId maker = values.at(values.surviving(saved_[i].ref)).maker;
    last_ops_.push_back(std::max(maker, i > 0 ? last_ops_.back() : kNoOp));
  }
  while (newest_needed_ > 0 && !saved_[newest_needed_ - 1].is_needed) {
    --newest_needed_;
  }
  tape_.forget_states_after(newest_needed_ > 0 ? last_ops_[newest_needed_ - 1] : kNoOp);
}

void Pass::release(std::int64_t index) {
  const std::lock_guard lock(tape_.mutex());
  if (at(index).node == using_node_) {
    end_use();
  }
  --needed_;
  at(index).is_needed = false;
  at(index).kept = {};
  forget_states();
  const ValueId root = root_of(index);
  if (--handles_[static_cast<std::size_t>(root)] == 0 && !parts().is_external(root)) {
    policy_->on_unneeded(parts(), root);
  }
}

bool Pass::is_held_by_others(ValueId root) const {
  return tape_.values().at(root).made_in.use_count() > (held_.holds(root) ? 1U : 0U);
}

bool Pass::is_over() const { return has_had_backward_ && needed_ == 0; }

}  // namespace reprise::tape
