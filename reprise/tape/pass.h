// SPDX-License-Identifier: Apache-2.0
// Pass: one forward and what backward makes of it, under a budget. It records the ops of forward;
// of what autograd saves it keeps what its policy says, and makes the rest again when a node of
// backward asks.
//
// Invariants:
// 1. Nodes of the graph own the pass; it owns no node.
// 2. Whatever the policy does, a node gets the bytes that it saved, or an error.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "reprise/tape/backward_end.h"
#include "reprise/tape/held_values.h"
#include "reprise/tape/op_check.h"
#include "reprise/tape/pass_policy.h"
#include "reprise/tape/pass_watch.h"
#include "reprise/tape/region_values.h"
#include "reprise/tape/saving_nodes.h"
#include "reprise/tape/tape.h"

namespace reprise::tape {

class Pass final : public RegionValues, public std::enable_shared_from_this<Pass> {
 public:
  // `expected`: of an earlier pass that this one probably repeats; may be null.
  Pass(std::unique_ptr<PassPolicy> policy, const std::shared_ptr<const ExpectedRun>& expected);
  ~Pass() override;
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  // `watch` may be null; it must outlive the pass or be taken off.
  void set_watch(PassWatch* watch);

  // From now on each op of forward is checked as it runs (op_check.h).
  void check_ops() { check_.emplace(); }

  // Ops of forward.
  void before_op(const c10::OperatorHandle& op, c10::DispatchKeySet keys, OpArguments arguments);
  void after_op(OpArguments results);
  // Only the op after the save has filled it.
  void move_on(std::int64_t index);
  // Nothing more will be recorded, until the next op is.
  void end_forward();

  // Makes room for bytes that are about to be allocated; what the policy cannot spare stays.
  void make_room(std::int64_t bytes);

  // In backward.
  std::int64_t add_value(const at::Tensor& tensor) override;
  void prepare() override {}
  at::Tensor value(std::int64_t index) override;
  void drop_value(std::int64_t index) override;
  void release(std::int64_t index) override;

  Tape& tape() { return tape_; }
  // For a pass that will repeat this one.
  std::shared_ptr<const ExpectedRun> expected_again() const;
  // After each op of forward, of all ops and saved tensors so far; and of all of them.
  const std::vector<std::uint64_t>& hashes_after_ops() const { return hashes_after_ops_; }
  std::uint64_t hash() const { return hash_; }
  // Of the storage that recorded ops made for `root`: whether the pass holds it, and whether
  // somebody else does.
  bool holds(ValueId root) const { return held_.holds(root); }
  bool is_held_by_others(ValueId root) const;
  // A backward has run and no node can ask for anything any more.
  bool is_over() const;
  // Autograd has saved something.
  bool has_saved() const { return !saved_.empty(); }
  // A backward has thrown.
  bool has_failed() const { return has_failed_; }
  std::int64_t recomputed_ops() const { return tape_.replayed_ops(); }
  std::int64_t kept_bytes() const { return tape_.kept_bytes(); }

 private:
  struct SavedValue {
    TensorRef ref;
    SeenVersion version;
    std::int64_t node;  // that saved it
    bool is_needed = true;
    // Of what recorded ops made in external storage: no policy knows of it.
    c10::Storage kept = {};
  };
  SavedValue& at(std::int64_t index) { return saved_[static_cast<std::size_t>(index)]; }
  const SavedValue& at(std::int64_t index) const { return saved_[static_cast<std::size_t>(index)]; }
  ValueId root_of(std::int64_t index) const { return tape_.values().root(at(index).ref.value); }
  PassParts parts() {
    return {.tape = tape_,
            .held = held_,
            .handles = handles_,
            .hash = hash_,
            .is_late = has_had_backward_,
            .watch = watch_};
  }
  void enter_backward();
  // Whether another thread is in the middle of an op of forward.
  bool is_op_elsewhere() const { return op_thread_ && *op_thread_ != std::this_thread::get_id(); }
  void forget_states();
  void begin_use(std::int64_t index);
  void end_use();
  c10::Storage storage_of(std::int64_t index);

  Tape tape_;
  HeldValues held_;
  std::vector<SavedValue> saved_;
  std::vector<std::int64_t> handles_;     // per value: saved ones of its storage that are needed
  std::atomic<std::int64_t> needed_ = 0;  // changed under the lock
  // Per saved value, from when backward has begun: the last op that it or those before it may take.
  std::vector<OpId> last_ops_;
  std::size_t newest_needed_ = 0;  // all saved values from here on have been released
  SavingNodes nodes_;
  std::vector<std::uint64_t> hashes_after_ops_;
  std::uint64_t hash_ = 0;
  std::unique_ptr<PassPolicy> policy_;
  PassWatch* watch_ = nullptr;
  std::optional<OpCheck> check_;
  // The node of backward under way, and the backward itself.
  std::int64_t using_node_ = kNoNode;
  int backward_ = kNoBackward;
  std::atomic<bool> has_had_backward_ = false;  // changed under the lock
  std::optional<std::thread::id> op_thread_;    // of the op of forward under way
  bool has_failed_ = false;
};

}  // namespace reprise::tape
