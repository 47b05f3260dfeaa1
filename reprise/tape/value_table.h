// SPDX-License-Identifier: Apache-2.0
// ValueTable: which value each storage holds, and where a value's bytes may still be found.
//
// A value is one version of one storage. It is *external* if no recorded op made it: then its bytes
// are kept. What a recorded op made is only looked for: in the storage that the op made it in, as
// long as somebody else keeps that alive and nobody has written it since, or in one that a replay
// has made.
//
// Invariants:
// 1. The value of a storage in the table has a weak pointer to it, so that no other storage takes
//    its address.
// 2. Each storage has one current value; an earlier one of it has its bytes there no longer.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>
#include <c10/util/flat_hash_map.h>

#include "reprise/tape/op_record.h"
#include "reprise/tape/seen_version.h"

namespace reprise::tape {

struct ValueRecord {
  OpId maker = kNoOp;       // kNoOp: external
  ValueId root = kNoValue;  // the first value of its storage
  ValueId next = kNoValue;  // what a write made of it
  std::int32_t write = -1;  // that made it, by its number; none of a root
  std::int64_t bytes = 0;
  c10::Device device = c10::kCPU;
  c10::weak_intrusive_ptr<c10::StorageImpl> made_in{c10::intrusive_ptr<c10::StorageImpl>()};
  c10::weak_intrusive_ptr<c10::StorageImpl> rebuilt_in{c10::intrusive_ptr<c10::StorageImpl>()};
  c10::Storage kept = {};  // of an external value
  at::Tensor opaque = {};  // an external value without dense storage
  SeenVersion version = {};
  bool is_current = true;
  bool is_read = false;           // by an op that may be replayed, or by autograd
  bool is_uninitialised = false;  // no op has written it

  bool is_external() const { return maker == kNoOp; }
};

class ValueTable {
 public:
  // So many values will probably come.
  void reserve(ValueId values) {
    values_.reserve(static_cast<std::size_t>(values));
    current_.reserve(static_cast<std::size_t>(values));
  }
  // The value that the tensor's storage holds now; an external one if it is not known.
  ValueId value_of(const at::Tensor& tensor);
  // That value, and how the tensor looks at it.
  TensorRef ref_of(const at::Tensor& tensor) { return {value_of(tensor), views_.of(tensor)}; }
  // Somebody reads the value. One that no op has written becomes external: it may have been filled
  // unseen. REQUIRES: its storage is alive.
  void note_read(ValueId value);
  // Makes the value external, with the bytes that it has. REQUIRES: its storage is alive.
  void keep(ValueId value);
  // The current value of the tensor's storage, or kNoValue if it is not known.
  ValueId known_value(const at::Tensor& tensor) const;
  // Whether the storage holds the value that `expected` is, and is where it was made: true says so,
  // false nothing. Takes no look-up. REQUIRES: has_dense_storage(tensor).
  bool is_where_made(const at::Tensor& tensor, ValueId expected) const {
    return expected < size() && at(expected).is_current &&
           at(expected).made_in._unsafe_get_target() ==
               tensor.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl();
  }

  // The storage of `tensor`, which is not known, holds a value that `maker` has made.
  ValueId add_made(const at::Tensor& tensor, OpId maker, bool is_uninitialised);
  // The same, for a storage that may be known: then returns kNoValue. REQUIRES:
  // has_dense_storage(tensor).
  ValueId add_if_new(const at::Tensor& tensor, OpId maker, bool is_uninitialised);
  // An op is about to write a storage. Copies the bytes of its value if that is external and has
  // been read, or `will_be_read`: they are nowhere else.
  void before_write(ValueId value, bool will_be_read);
  // It has written it, as part of `maker` or, if that is kNoOp, without a record. Returns the new
  // value.
  ValueId after_write(const at::Tensor& tensor, ValueId before, OpId maker);
  // A replay has made the bytes of a value in `storage`.
  void add_rebuilt(ValueId value, const c10::Storage& storage);

  // What a tensor of an earlier value looks at may still be there in later ones: the last value of
  // the storage before a write that touches any of it.
  ValueId surviving(const TensorRef& ref) const;

  // Recording stops: from now on version counters alone tell of writes.
  void end();
  // It goes on.
  void resume() { has_ended_ = false; }
  bool has_ended() const { return has_ended_; }
  // The value's bytes, or null if they are nowhere.
  // Throws c10::Error, in autograd's words, if an external value was changed since the end.
  c10::Storage find(ValueId value) const;

  // Moves out all bytes that it keeps.
  void take_kept(std::vector<c10::Storage>& storages, std::vector<at::Tensor>& opaque);

  // What recorded ops made for `root` and those after it, if it is alive.
  c10::Storage storage_of(ValueId root) const;

  // What the write that made the value touched. REQUIRES: it is no root.
  const TensorView& written(ValueId value) const {
    return *writes_[static_cast<std::size_t>(at(value).write)];
  }

  ValueRecord& at(ValueId value) { return values_[static_cast<std::size_t>(value)]; }
  const ValueRecord& at(ValueId value) const { return values_[static_cast<std::size_t>(value)]; }
  ValueId size() const { return static_cast<ValueId>(values_.size()); }
  ValueId root(ValueId value) const { return at(value).root; }
  // Bytes of all values kept because they were about to be written.
  std::int64_t copied_bytes() const { return copied_bytes_; }

 private:
  ValueId add(const at::Tensor& tensor);
  ValueId add(const at::Tensor& tensor, OpId maker, bool is_uninitialised);
  void keep(ValueId value, c10::Storage storage);

  std::vector<ValueRecord> values_;
  std::vector<std::shared_ptr<const TensorView>> writes_;  // owned with all that look alike
  ViewPool views_;
  ska::flat_hash_map<const c10::StorageImpl*, ValueId> current_;  // by storage
  std::int64_t copied_bytes_ = 0;
  bool has_ended_ = false;
  std::size_t settled_ = 0;  // values whose version counter stood still when recording stopped
};

}  // namespace reprise::tape
