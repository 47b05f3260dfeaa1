// SPDX-License-Identifier: Apache-2.0
// HeldValues: the storages of values that a pass keeps for backward, or has made again for it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <c10/core/Storage.h>

#include "reprise/tape/op_record.h"

namespace reprise::tape {

// Is told of every change. Called under the lock of the tape.
class HoldingsWatch {
 public:
  virtual ~HoldingsWatch() = default;
  virtual void before_change() {}
  // One more, or one less, storage of so many bytes is held for the value.
  virtual void on_hold(ValueId /*root*/, std::int64_t /*bytes*/) {}
  virtual void on_drop(ValueId /*root*/, std::int64_t /*bytes*/) {}
};

// Values go by the first value of their storage: at most one storage is held for each.
class HeldValues {
 public:
  // `watch` may be null; it must outlive the holdings or be taken off.
  void set_watch(HoldingsWatch* watch) { watch_ = watch; }

  // In place of what was held for it.
  void hold(ValueId root, c10::Storage storage);
  // Does nothing if none is held.
  void drop(ValueId root);

  bool holds(ValueId root) const {
    return index(root) < slots_.size() && slots_[index(root)].storage;
  }
  // Whether dropping it would free its bytes.
  bool is_sole_holder(ValueId root) const {
    return holds(root) && slots_[index(root)].storage.use_count() == 1;
  }
  std::int64_t bytes(ValueId root) const {
    return holds(root) ? static_cast<std::int64_t>(slots_[index(root)].storage.nbytes()) : 0;
  }
  // Those that a storage is held for, in no order; until the next change.
  const std::vector<ValueId>& roots() const { return roots_; }
  ValueId size() const { return static_cast<ValueId>(slots_.size()); }

 private:
  static std::size_t index(ValueId root) { return static_cast<std::size_t>(root); }

  struct Slot {
    c10::Storage storage = {};
    std::size_t position = 0;  // in roots_, if there is a storage
  };
  std::vector<Slot> slots_;  // per value, most of them empty
  std::vector<ValueId> roots_;
  HoldingsWatch* watch_ = nullptr;
};

}  // namespace reprise::tape
