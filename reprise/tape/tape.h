// SPDX-License-Identifier: Apache-2.0
// Tape: the ops that ran in a scope, in order, and how to get any value of theirs back.
//
// It is fed by a frame while ops run. Afterwards `rebuild` runs the recorded ops again that are
// needed for some values; the user's code is not called.
//
// All functions but mutex() are to be called under the lock of the tape: ops of one thread are
// recorded while backward may run on another.
//
// Invariants:
// 1. The tape owns no bytes that a recorded op made. It keeps external values (value_table.h) and
//    the generator states that random ops had.
// 2. Ids of ops ascend in the order in which they ran, so an op's inputs have makers before it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "reprise/tape/generator_states.h"
#include "reprise/tape/op_match.h"
#include "reprise/tape/op_record.h"
#include "reprise/tape/op_traits.h"
#include "reprise/tape/op_writes.h"
#include "reprise/tape/patient_mutex.h"
#include "reprise/tape/replay.h"
#include "reprise/tape/value_table.h"

namespace reprise::tape {

// What a tape holds on to.
struct KeptByTape {
  OpRecords ops;
  std::vector<at::Tensor> generator_states = {};
  std::vector<c10::Storage> storages = {};
  std::vector<at::Tensor> opaque = {};
};

class Tape {
 public:
  Tape() = default;
  // What it repeats of `expected`, of an earlier tape, costs it little. May be null.
  explicit Tape(std::shared_ptr<const ExpectedRun> expected);

  // An op runs; called before it, with its arguments, and after it, with its results. An op that
  // throws has no second call.
  void before_op(const c10::OperatorHandle& op, c10::DispatchKeySet keys, OpArguments arguments);
  void after_op(OpArguments results);

  // The value that autograd saves `tensor` as, and how it lies in it. If the op that comes next
  // fills the tensor, the caller moves on to after_last_op().
  TensorRef saved(const at::Tensor& tensor);
  // What the last op made of the storage that held `value` before it; `value` if it did not write
  // that.
  ValueId after_last_op(ValueId value) const;

  // Nobody will ask for what ops after `last` have made: gives up the generator states that they
  // had. Ops that read it all the same, later on, have it kept.
  void forget_states_after(OpId last);
  // Whether the op that made the value may still run again.
  bool may_rebuild(ValueId value) const {
    const OpId maker = values_.at(value).maker;
    return maker < forgotten_from_ || maker >= forgotten_to_;
  }

  // No more ops follow, until resume().
  void end();
  void resume();

  // The bytes of the wanted values, in their order, after running what ops that takes. An op runs
  // at most once; what only others need is freed as soon as they have run. Returns null storage for
  // values without dense storage.
  // Throws c10::Error, in autograd's words, if an external value was changed in place.
  std::vector<c10::Storage> rebuild(const RebuildRequest& request);

  // Gives up all that it keeps; nothing can be rebuilt any more.
  KeptByTape take_kept();
  bool has_given_up() const { return has_given_up_; }

  const ValueTable& values() const { return values_; }
  const OpRecord& op(OpId id) const { return *ops_[static_cast<std::size_t>(id)]; }
  at::Tensor generator_state(OpId id) const { return generator_states_.before(id); }
  const OpRecords& records() const { return ops_; }
  OpId ops() const { return static_cast<OpId>(ops_.size()); }
  // Values that the op under way is about to write. Between before_op() and after_op().
  std::vector<ValueId> values_to_write() const;
  // Values that the last op read, if it was recorded.
  const std::vector<ValueId>& last_reads() const { return last_reads_; }
  std::int64_t replayed_ops() const { return replayed_ops_; }
  // The most bytes that the last rebuild() had made and not given up yet, without those that ops
  // take for themselves while they run.
  std::int64_t last_replay_bytes() const { return last_replay_bytes_; }
  // The most bytes of generator states that it has kept at once, and copies of what was about to be
  // written.
  std::int64_t kept_bytes() const {
    return generator_states_.most_bytes() + values_.copied_bytes();
  }

  PatientMutex& mutex() { return mutex_; }

 private:
  void note_reads(const OpRecord& record);
  void note_read(ValueId value);
  void keep_unfilled();
  bool repeats_expected(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                        OpArguments arguments);
  void begin_repeated(OpArguments arguments);
  void begin_record(const c10::OperatorHandle& op, c10::DispatchKeySet keys, OpArguments arguments);
  void finish_op(OpArguments results);
  void finish_unrecorded(OpArguments results);
  c10::SmallVector<Write, 1> note_writes(OpId maker);
  c10::SmallVector<MadeResult, 1> note_results(OpId maker, OpArguments results);

  PatientMutex mutex_;
  ValueTable values_;
  OpRecords ops_;
  std::shared_ptr<const ExpectedRun> expected_;  // shared by the tapes that repeat it
  GeneratorStates generator_states_;
  // The op under way: a record of before, or one that is being made.
  std::shared_ptr<const OpRecord> repeated_;  // owned with the tape that made it
  std::optional<OpRecord> current_;
  const OpTraits* traits_ = nullptr;
  at::Tensor generator_state_;  // before it draws
  std::vector<WrittenTensor> written_;
  std::vector<ValueId> last_reads_;
  std::vector<std::pair<ValueId, ValueId>> last_writes_;  // before, after
  std::size_t saved_count_ = 0;
  // Saved before anybody wrote them: the op that comes may fill them.
  std::vector<ValueId> saved_unfilled_;
  std::int64_t replayed_ops_ = 0;
  std::int64_t last_replay_bytes_ = 0;
  bool has_given_up_ = false;
  // Ops in between have lost their generator states, if they had any.
  OpId forgotten_from_ = std::numeric_limits<OpId>::max();
  OpId forgotten_to_ = 0;
};

}  // namespace reprise::tape
