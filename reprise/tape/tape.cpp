// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/tape.h"

#include <algorithm>
#include <utility>

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

void Tape::before_op(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                     OpArguments arguments) {
  const std::lock_guard lock(mutex_);
  written_.clear();
  last_reads_.clear();
  last_writes_.clear();
  current_ = record_call(op, keys, arguments, [&](const at::Tensor& tensor) {
    return TensorRef{values_.value_of(tensor),
                     has_dense_storage(tensor) ? TensorView::of(tensor) : TensorView()};
  });
  note_writes(op, arguments, *current_);
  find_reads(*current_);
  keep_unfilled();
  may_replay_ = may_replay(op);
  for (const WrittenTensor& written : written_) {
    values_.before_write(written.before, may_replay_ && written.reads_before);
  }
  if (is_random(op)) {
    current_->generator = generator_of(arguments);
    if (current_->generator.defined()) {
      current_->generator_state = state_of(current_->generator);
    }
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

bool Tape::note_results(OpId maker, OpArguments results) {
  const bool is_uninitialised = makes_uninitialised(current_->op);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto elements = results[i].isList() ? results[i].toListRef() : results.slice(i, 1);
    for (std::size_t element = 0; element < elements.size(); ++element) {
      for_each_tensor(elements[element], [&](const at::Tensor& tensor) {
        if (has_dense_storage(tensor) && values_.known_value(tensor) == kNoValue) {
          current_->results.push_back(
              {i, element, values_.add_made(tensor, maker, is_uninitialised)});
        }
      });
    }
  }
  return !current_->results.empty();
}

void Tape::after_op(OpArguments results) {
  const std::lock_guard lock(mutex_);
  if (!may_replay_) {
    // Their results stay: values that no recorded op made.
    finish_writes(kNoOp);
    for (const c10::IValue& result : results) {
      for_each_tensor(result, [&](const at::Tensor& tensor) { values_.value_of(tensor); });
    }
    last_reads_.clear();
  } else {
    const OpId id = ops();
    const bool has_written = finish_writes(id);
    const bool has_made = note_results(id, results);
    if (has_written || has_made) {
      for (const ValueId value : last_reads_) {
        values_.at(value).is_read = true;
      }
      if (current_->generator_state.defined()) {
        random_bytes_ += static_cast<std::int64_t>(current_->generator_state.nbytes());
      }
      ops_.push_back(*std::move(current_));
    } else {
      last_reads_.clear();
    }
  }
  current_.reset();
  written_.clear();
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

std::vector<c10::Storage> Tape::rebuild(const RebuildRequest& request) {
  const std::lock_guard lock(mutex_);
  Replay replay(ops_, values_);
  std::vector<c10::Storage> storages = replay.run(request);
  replayed_ops_ += replay.ops();
  return storages;
}

}  // namespace reprise::tape
