// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/value_table.h"

#include <string>
#include <utility>

#include "reprise/tape/outside_tensors.h"
#include "reprise/tape/tensor_view.h"

namespace reprise::tape {
namespace {

c10::StorageImpl* storage_behind(const at::Tensor& tensor) {
  return tensor.storage().unsafeGetStorageImpl();
}

c10::Storage locked(const c10::weak_intrusive_ptr<c10::StorageImpl>& weak) { return {weak.lock()}; }

}  // namespace

ValueId ValueTable::add(const at::Tensor& tensor) {
  const ValueId value = size();
  ValueRecord& record = values_.emplace_back();
  record.root = value;
  record.version = SeenVersion(tensor);
  return value;
}

ValueId ValueTable::add(const at::Tensor& tensor, OpId maker, bool is_uninitialised) {
  const ValueId value = add(tensor);
  ValueRecord& record = at(value);
  record.maker = maker;
  record.bytes = static_cast<std::int64_t>(tensor.storage().nbytes());
  record.device = tensor.device();
  record.made_in = tensor.storage().getWeakStorageImpl();
  record.is_uninitialised = is_uninitialised;
  return value;
}

void ValueTable::keep(ValueId value, c10::Storage storage) {
  ValueRecord& record = at(value);
  record.maker = kNoOp;
  record.is_uninitialised = false;
  record.kept = std::move(storage);
}

void ValueTable::keep(ValueId value) {
  c10::Storage made = locked(at(value).made_in);
  keep(value, made ? std::move(made) : locked(at(value).rebuilt_in));
}

ValueId ValueTable::value_of(const at::Tensor& tensor) {
  if (!has_dense_storage(tensor)) {
    const ValueId value = add(tensor);
    at(value).opaque = tensor.variable_data();
    return value;
  }
  const ValueId known = known_value(tensor);
  if (known != kNoValue) {
    return known;
  }
  const ValueId value = add_made(tensor, kNoOp, false);
  keep(value, tensor.storage());
  return value;
}

void ValueTable::note_read(ValueId value) {
  if (at(value).is_uninitialised) {
    keep(value, locked(at(value).made_in));
  }
}

ValueId ValueTable::known_value(const at::Tensor& tensor) const {
  if (!has_dense_storage(tensor)) {
    return kNoValue;
  }
  const auto known = current_.find(storage_behind(tensor));
  return known == current_.end() ? kNoValue : known->second;
}

ValueId ValueTable::add_made(const at::Tensor& tensor, OpId maker, bool is_uninitialised) {
  const ValueId value = add(tensor, maker, is_uninitialised);
  current_.insert_or_assign(storage_behind(tensor), value);
  return value;
}

ValueId ValueTable::add_if_new(const at::Tensor& tensor, OpId maker, bool is_uninitialised) {
  if (!current_.emplace(storage_behind(tensor), size()).second) {
    return kNoValue;
  }
  return add(tensor, maker, is_uninitialised);
}

void ValueTable::before_write(ValueId value, bool will_be_read) {
  ValueRecord& record = at(value);
  if (!record.kept || !record.is_current || !(record.is_read || will_be_read)) {
    return;
  }
  record.kept = copy_of_bytes(record.kept).storage();
  record.version = SeenVersion();
  copied_bytes_ += record.bytes;
}

ValueId ValueTable::after_write(const at::Tensor& tensor, ValueId before, OpId maker) {
  at(before).is_current = false;
  const ValueId after = add_made(tensor, maker, false);
  at(before).next = after;
  at(after).root = at(before).root;
  at(after).write = static_cast<std::int32_t>(writes_.size());
  writes_.push_back(views_.of(tensor));
  if (maker == kNoOp) {
    keep(after, tensor.storage());
  }
  return after;
}

void ValueTable::add_rebuilt(ValueId value, const c10::Storage& storage) {
  c10::weak_intrusive_ptr<c10::StorageImpl>& rebuilt_in = at(value).rebuilt_in;
  // Its address is free for others once the weak pointer is gone.
  const auto known = current_.find(rebuilt_in._unsafe_get_target());
  if (known != current_.end() && known->second == value) {
    current_.erase(known);
  }
  rebuilt_in = storage.getWeakStorageImpl();
  current_.insert_or_assign(storage.unsafeGetStorageImpl(), value);
}

ValueId ValueTable::surviving(const TensorRef& ref) const {
  ValueId value = ref.value;
  while (at(value).next != kNoValue &&
         !overlap(ref.view->bytes(), written(at(value).next).bytes())) {
    value = at(value).next;
  }
  return value;
}

void ValueTable::end() {
  has_ended_ = true;
  // Counters move only after the op that writes, sometimes several ops later.
  for (; settled_ < values_.size(); ++settled_) {
    values_[settled_].version.see_again();
  }
}

void ValueTable::take_kept(std::vector<c10::Storage>& storages, std::vector<at::Tensor>& opaque) {
  for (ValueRecord& record : values_) {
    if (record.kept) {
      storages.push_back(std::exchange(record.kept, {}));
    }
    if (record.opaque.defined()) {
      opaque.push_back(std::exchange(record.opaque, {}));
    }
  }
}

c10::Storage ValueTable::storage_of(ValueId root) const { return locked(at(root).made_in); }

c10::Storage ValueTable::find(ValueId value) const {
  const ValueRecord& record = at(value);
  if (record.kept) {
    if (has_ended_) {
      record.version.require_unchanged([&] {
        return "a tensor of " + std::to_string(record.bytes) + " bytes that a recorded region read";
      });
    }
    return record.kept;
  }
  if (c10::Storage rebuilt = locked(record.rebuilt_in)) {
    return rebuilt;
  }
  const bool is_there = record.is_current && (!has_ended_ || record.version.is_unchanged());
  c10::Storage made = is_there ? locked(record.made_in) : c10::Storage();
  const bool is_whole = made && static_cast<std::int64_t>(made.nbytes()) == record.bytes;
  return is_whole ? std::move(made) : c10::Storage();
}

}  // namespace reprise::tape
