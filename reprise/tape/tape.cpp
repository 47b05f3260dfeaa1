// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/tape.h"

#include <algorithm>
#include <utility>

#include "reprise/tape/op_hash.h"
#include "reprise/tape/random_states.h"
#include "reprise/tape/replay.h"

namespace reprise::tape {

Tape::Tape(std::shared_ptr<const ExpectedRun> expected) : expected_(std::move(expected)) {
  if (!expected_ || expected_->ops.empty()) {
    return;
  }
  ops_.reserve(expected_->ops.size());
  const OpRecord& last = *expected_->ops.back();
  ValueId values = 0;
  for (const MadeResult& made : last.results) {
    values = std::max(values, made.value + 1);
  }
  for (const Write& write : last.written) {
    values = std::max(values, write.after + 1);
  }
  values_.reserve(values);
}

void Tape::note_read(ValueId value) {
  values_.note_read(value);
  if (!may_rebuild(value)) {
    values_.keep(value);
  }
}

void Tape::note_reads(const OpRecord& record) {
  const auto is_filled = [this](ValueId value) {
    return std::any_of(written_.begin(), written_.end(), [value](const WrittenTensor& written) {
      return written.before == value && !written.reads_before;
    });
  };
  for (const TensorArgument& argument : record.tensors) {
    for (const TensorRef& ref : argument.refs) {
      if (ref.value != kNoValue && !is_filled(ref.value)) {
        last_reads_.push_back(ref.value);
        note_read(ref.value);
      }
    }
  }
}

void Tape::keep_unfilled() {
  for (const ValueId value : std::exchange(saved_unfilled_, {})) {
    const bool is_filled_now =
        std::any_of(written_.begin(), written_.end(),
                    [value](const WrittenTensor& written) { return written.before == value; });
    if (!is_filled_now) {
      values_.note_read(value);
    }
  }
}

bool Tape::repeats_expected(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                            OpArguments arguments) {
  return expected_ && traits_->may_replay && ops_.size() < expected_->ops.size() &&
         is_repeated(*expected_->ops[ops_.size()], op, keys, arguments, values_);
}

void Tape::begin_repeated(OpArguments arguments) {
  repeated_ = expected_->ops[ops_.size()];
  for (const Write& write : repeated_->written) {
    written_.push_back(written_again(arguments, write));
  }
  if (traits_->may_write) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (is_left_out(*repeated_, arguments, i)) {
        written_.push_back(
            statistics_again(arguments, i, values_.known_value(arguments[i].toTensor())));
      }
    }
  }
  note_reads(*repeated_);
}

void Tape::begin_record(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                        OpArguments arguments) {
  current_ = record_call(op, keys, arguments,
                         [&](const at::Tensor& tensor) { return values_.ref_of(tensor); });
  if (traits_->may_write) {
    written_ = find_writes(arguments, *current_);
  }
  if (traits_->is_random) {
    current_->generator = generator_of(arguments);
  }
  note_reads(*current_);
}

void Tape::before_op(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                     OpArguments arguments) {
  written_.clear();
  last_reads_.clear();
  last_writes_.clear();
  repeated_.reset();
  current_.reset();
  generator_state_.reset();  // of an op that has thrown
  traits_ = &traits_of(op);
  if (traits_->is_view) {
    return;
  }
  if (repeats_expected(op, keys, arguments)) {
    begin_repeated(arguments);
  } else {
    begin_record(op, keys, arguments);
  }
  for (const WrittenTensor& written : written_) {
    values_.before_write(written.before, traits_->may_replay && written.reads_before);
  }
  const at::Generator& generator = (repeated_ ? *repeated_ : *current_).generator;
  if (generator.defined()) {
    generator_state_ = state_of(generator);
  }
  if (!saved_unfilled_.empty()) {
    keep_unfilled();
  }
}

// The storages that the op has written, as part of `maker` or, if that is kNoOp, without a record.
c10::SmallVector<Write, 1> Tape::note_writes(OpId maker) {
  c10::SmallVector<Write, 1> writes;
  for (const WrittenTensor& written : written_) {
    if (written.tensor.storage().unsafeGetStorageImpl() != written.storage) {
      continue;  // set_: the tensor looks at other storage now, nobody's bytes have changed
    }
    // Statistics are not made again: what a region reads of them is what they hold.
    const OpId made_by = written.is_statistics ? kNoOp : maker;
    const ValueId after = values_.after_write(written.tensor, written.before, made_by);
    last_writes_.emplace_back(written.before, after);
    if (made_by != kNoOp) {
      writes.push_back(
          {written.index, written.element, written.before, after, written.reads_before});
    }
  }
  return writes;
}

// The results whose storage is new.
c10::SmallVector<MadeResult, 1> Tape::note_results(OpId maker, OpArguments results) {
  c10::SmallVector<MadeResult, 1> made;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto elements = results[i].isList() ? results[i].toListRef() : results.slice(i, 1);
    for (std::size_t element = 0; element < elements.size(); ++element) {
      for_each_tensor(elements[element], [&](const at::Tensor& tensor) {
        if (!has_dense_storage(tensor)) {
          return;
        }
        const ValueId value = values_.add_if_new(tensor, maker, traits_->makes_uninitialised);
        if (value != kNoValue) {
          made.push_back({i, element, value});
        }
      });
    }
  }
  return made;
}

// An op that may not be replayed. Its results stay: values that no recorded op made.
void Tape::finish_unrecorded(OpArguments results) {
  note_writes(kNoOp);
  for (const c10::IValue& result : results) {
    for_each_tensor(result, [&](const at::Tensor& tensor) { values_.value_of(tensor); });
  }
  last_reads_.clear();
}

void Tape::finish_op(OpArguments results) {
  const OpId id = ops();
  const c10::SmallVector<Write, 1> writes = note_writes(id);
  const c10::SmallVector<MadeResult, 1> made = note_results(id, results);
  if (writes.empty() && made.empty()) {
    last_reads_.clear();
    return;
  }
  for (const ValueId value : last_reads_) {
    values_.at(value).is_read = true;
  }
  if (generator_state_.defined()) {
    generator_states_.add(id, std::move(generator_state_));
  }
  if (repeated_ && made == repeated_->results && writes == repeated_->written) {
    ops_.push_back(std::move(repeated_));
    return;
  }
  // Also where it repeats a call and gave other storages this time.
  OpRecord record = repeated_ ? *repeated_ : *std::move(current_);
  record.written = writes;
  record.results = made;
  record.digest = digest_of(record);
  ops_.push_back(std::make_shared<const OpRecord>(std::move(record)));
}

void Tape::after_op(OpArguments results) {
  if (repeated_ || current_) {
    if (traits_->may_replay) {
      finish_op(results);
    } else {
      finish_unrecorded(results);
    }
    repeated_.reset();
    current_.reset();
    generator_state_.reset();
  }
  written_.clear();
}

std::vector<ValueId> Tape::values_to_write() const {
  std::vector<ValueId> values;
  for (const WrittenTensor& written : written_) {
    values.push_back(written.before);
  }
  return values;
}

TensorRef Tape::saved(const at::Tensor& tensor) {
  const std::size_t index = saved_count_++;
  const bool is_expected = expected_ && index < expected_->saved.size() &&
                           is_repeated(expected_->saved[index], tensor, values_);
  TensorRef ref = is_expected ? expected_->saved[index] : values_.ref_of(tensor);
  ValueRecord& value = values_.at(ref.value);
  value.is_read = true;
  if (value.is_uninitialised) {
    saved_unfilled_.push_back(ref.value);
  } else if (!may_rebuild(ref.value)) {
    values_.keep(ref.value);
  }
  return ref;
}

ValueId Tape::after_last_op(ValueId value) const {
  const auto write =
      std::find_if(last_writes_.begin(), last_writes_.end(),
                   [value](const auto& before_after) { return before_after.first == value; });
  return write == last_writes_.end() ? value : write->second;
}

void Tape::forget_states_after(OpId last) {
  if (generator_states_.forget_from(last + 1)) {
    forgotten_from_ = std::min(forgotten_from_, last + 1);
    forgotten_to_ = ops();
  }
}

void Tape::end() {
  written_.clear();
  keep_unfilled();
  values_.end();
}

void Tape::resume() { values_.resume(); }

KeptByTape Tape::take_kept() {
  KeptByTape kept{.ops = std::exchange(ops_, {}), .generator_states = generator_states_.take()};
  values_.take_kept(kept.storages, kept.opaque);
  has_given_up_ = true;
  return kept;
}

std::vector<c10::Storage> Tape::rebuild(const RebuildRequest& request) {
  Replay replay(ops_, generator_states_, values_);
  std::vector<c10::Storage> storages = replay.run(request);
  replayed_ops_ += replay.ops();
  last_replay_bytes_ = replay.peak_bytes();
  return storages;
}

}  // namespace reprise::tape
