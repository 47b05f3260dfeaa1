// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/tape.h"

#include <algorithm>
#include <utility>

#include "reprise/tape/op_hash.h"
#include "reprise/tape/random_states.h"
#include "reprise/tape/replay.h"

namespace reprise::tape {
void Tape::note_writes(const c10::OperatorHandle& op, OpArguments arguments, OpRecord& record) {
  for (auto* argument = record.tensors.begin(); argument != record.tensors.end();) {
    const std::size_t index = argument->index;
    if (!writes_argument(op, arguments, index)) {
      ++argument;
      continue;
    }
    const bool is_statistics = is_statistics_only(op, arguments, index);
    auto* ref = argument->refs.begin();
    for_each_tensor(arguments[index], [&](const at::Tensor& tensor) {
      while (ref->value == kNoValue) {
        ++ref;
      }
      if (has_dense_storage(tensor)) {
        const c10::StorageImpl* const storage = tensor.storage().unsafeGetStorageImpl();
        const bool fills = overwrites_argument(op, index) && ref->view.covers(*storage);
        written_.push_back({tensor, storage, ref->value, !fills && !is_statistics, is_statistics});
      }
      ++ref;
    });
    // A replay does not update them again.
    argument = is_statistics ? record.tensors.erase(argument) : argument + 1;
  }
}

void Tape::find_reads(const OpRecord& record) {
  // What is filled is not read, unless it is also given as something else.
  const auto count_mentions = [&](ValueId value) {
    std::int64_t mentions = 0;
    for (const TensorArgument& argument : record.tensors) {
      mentions += std::count_if(argument.refs.begin(), argument.refs.end(),
                                [value](const TensorRef& ref) { return ref.value == value; });
    }
    return mentions;
  };
  for (WrittenTensor& written : written_) {
    written.reads_before =
        !written.is_statistics && (written.reads_before || count_mentions(written.before) > 1);
  }
  for (const TensorArgument& argument : record.tensors) {
    for (const TensorRef& ref : argument.refs) {
      const bool is_filled =
          std::any_of(written_.begin(), written_.end(), [&](const WrittenTensor& written) {
            return written.before == ref.value && !written.reads_before;
          });
      if (ref.value != kNoValue && !is_filled) {
        last_reads_.push_back(ref.value);
        values_.note_read(ref.value);
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
  if (!expected_ || !traits_->may_replay || ops_.size() >= expected_->size()) {
    return false;
  }
  const std::shared_ptr<const OpRecord>& record = (*expected_)[ops_.size()];
  if (!record || !is_repeated(*record, op, keys, arguments, values_)) {
    return false;
  }
  repeated_ = record;
  return true;
}

void Tape::begin_record(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                        OpArguments arguments) {
  current_ = record_call(op, keys, arguments, [&](const at::Tensor& tensor) {
    return TensorRef{values_.value_of(tensor),
                     has_dense_storage(tensor) ? TensorView::of(tensor) : TensorView()};
  });
  if (traits_->may_write) {
    note_writes(op, arguments, *current_);
  }
  find_reads(*current_);
  for (const WrittenTensor& written : written_) {
    values_.before_write(written.before, traits_->may_replay && written.reads_before);
  }
  if (traits_->is_random) {
    current_->generator = generator_of(arguments);
    if (current_->generator.defined()) {
      current_->generator_state = state_of(current_->generator);
    }
  }
}

void Tape::before_op(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                     OpArguments arguments) {
  const std::lock_guard lock(mutex_);
  written_.clear();
  last_reads_.clear();
  last_writes_.clear();
  repeated_.reset();
  current_.reset();
  traits_ = &traits_of(op);
  if (traits_->is_view) {
    return;
  }
  if (repeats_expected(op, keys, arguments)) {
    repeated_->for_each_read([&](const TensorRef& ref) {
      last_reads_.push_back(ref.value);
      values_.note_read(ref.value);
    });
  } else {
    begin_record(op, keys, arguments);
  }
  if (!saved_unfilled_.empty()) {
    keep_unfilled();
  }
}

bool Tape::finish_writes(OpId maker) {
  bool has_made = false;
  for (const WrittenTensor& written : written_) {
    if (written.tensor.storage().unsafeGetStorageImpl() != written.storage) {
      continue;  // set_: the tensor looks at other storage now, nobody's bytes have changed
    }
    // Statistics are not made again: what a region reads of them is what they hold.
    const OpId made_by = written.is_statistics ? kNoOp : maker;
    const ValueId after = values_.after_write(written.tensor, written.before, made_by);
    last_writes_.emplace_back(written.before, after);
    if (made_by != kNoOp) {
      current_->written.push_back({written.before, after, written.reads_before});
      has_made = true;
    }
  }
  return has_made;
}

// The results whose storage is new.
c10::SmallVector<MadeResult, 1> Tape::note_results(OpId maker, OpArguments results) {
  c10::SmallVector<MadeResult, 1> made;
  const bool is_uninitialised = current_ && traits_->makes_uninitialised;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto elements = results[i].isList() ? results[i].toListRef() : results.slice(i, 1);
    for (std::size_t element = 0; element < elements.size(); ++element) {
      for_each_tensor(elements[element], [&](const at::Tensor& tensor) {
        if (has_dense_storage(tensor) && values_.known_value(tensor) == kNoValue) {
          made.push_back({i, element, values_.add_made(tensor, maker, is_uninitialised)});
        }
      });
    }
  }
  return made;
}

void Tape::finish_repeated(OpArguments results) {
  const c10::SmallVector<MadeResult, 1> made = note_results(ops(), results);
  if (made.empty()) {
    last_reads_.clear();
    return;
  }
  for (const ValueId value : last_reads_) {
    values_.at(value).is_read = true;
  }
  if (made == repeated_->results) {
    ops_.push_back(std::move(repeated_));
    return;
  }
  OpRecord record = *repeated_;  // it gave other storages this time
  record.results = made;
  record.digest = digest_of(record);
  ops_.push_back(std::make_shared<const OpRecord>(std::move(record)));
}

void Tape::finish_record(OpArguments results) {
  if (!traits_->may_replay) {
    // Their results stay: values that no recorded op made.
    finish_writes(kNoOp);
    for (const c10::IValue& result : results) {
      for_each_tensor(result, [&](const at::Tensor& tensor) { values_.value_of(tensor); });
    }
    last_reads_.clear();
    return;
  }
  const OpId id = ops();
  const bool has_written = finish_writes(id);
  current_->results = note_results(id, results);
  if (!has_written && current_->results.empty()) {
    last_reads_.clear();
    return;
  }
  for (const ValueId value : last_reads_) {
    values_.at(value).is_read = true;
  }
  if (current_->generator_state.defined()) {
    random_bytes_ += static_cast<std::int64_t>(current_->generator_state.nbytes());
  }
  current_->digest = digest_of(*current_);
  ops_.push_back(std::make_shared<const OpRecord>(*std::move(current_)));
}

void Tape::after_op(OpArguments results) {
  const std::lock_guard lock(mutex_);
  if (repeated_) {
    finish_repeated(results);
    repeated_.reset();
  } else if (current_) {
    finish_record(results);
    current_.reset();
  }
  written_.clear();
}

std::shared_ptr<const OpRecords> Tape::expected_again() const {
  auto records = std::make_shared<OpRecords>(ops_);
  for (std::shared_ptr<const OpRecord>& record : *records) {
    const OpTraits& traits = traits_of(record->op);
    if (traits.may_write || traits.is_random || traits.makes_uninitialised) {
      record.reset();
    }
  }
  return records;
}

std::vector<ValueId> Tape::values_to_write() const {
  std::vector<ValueId> values;
  for (const WrittenTensor& written : written_) {
    values.push_back(written.before);
  }
  return values;
}

TensorRef Tape::saved(const at::Tensor& tensor) {
  const std::lock_guard lock(mutex_);
  const ValueId value = values_.value_of(tensor);
  values_.at(value).is_read = true;
  if (values_.at(value).is_uninitialised) {
    saved_unfilled_.push_back(value);
  }
  return {value, has_dense_storage(tensor) ? TensorView::of(tensor) : TensorView()};
}

ValueId Tape::after_last_op(ValueId value) const {
  const auto write =
      std::find_if(last_writes_.begin(), last_writes_.end(),
                   [value](const auto& before_after) { return before_after.first == value; });
  return write == last_writes_.end() ? value : write->second;
}

void Tape::end() {
  const std::lock_guard lock(mutex_);
  written_.clear();
  keep_unfilled();
  values_.end();
}

void Tape::resume() {
  const std::lock_guard lock(mutex_);
  values_.resume();
}

KeptByTape Tape::take_kept() {
  const std::lock_guard lock(mutex_);
  KeptByTape kept{.ops = std::exchange(ops_, {})};
  values_.take_kept(kept.storages, kept.opaque);
  has_given_up_ = true;
  return kept;
}

std::vector<c10::Storage> Tape::rebuild(const RebuildRequest& request) {
  const std::lock_guard lock(mutex_);
  Replay replay(ops_, values_);
  std::vector<c10::Storage> storages = replay.run(request);
  replayed_ops_ += replay.ops();
  last_replay_bytes_ = replay.peak_bytes();
  return storages;
}

}  // namespace reprise::tape
