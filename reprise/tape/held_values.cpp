// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/held_values.h"

namespace reprise::tape {

void HeldValues::hold(ValueId root, c10::Storage storage) {
  if (index(root) >= slots_.size()) {
    slots_.resize(index(root) + 1);
  }
  Slot& slot = slots_[index(root)];
  if (slot.storage.unsafeGetStorageImpl() == storage.unsafeGetStorageImpl()) {
    return;
  }
  drop(root);
  if (watch_ != nullptr) {
    watch_->before_change();
    watch_->on_hold(root, static_cast<std::int64_t>(storage.nbytes()));
  }
  slot.position = roots_.size();
  roots_.push_back(root);
  slot.storage = std::move(storage);
}

void HeldValues::drop(ValueId root) {
  if (!holds(root)) {
    return;
  }
  if (watch_ != nullptr) {
    watch_->before_change();
    watch_->on_drop(root, bytes(root));
  }
  Slot& slot = slots_[index(root)];
  const ValueId last = roots_.back();
  roots_[slot.position] = last;
  slots_[index(last)].position = slot.position;
  roots_.pop_back();
  slot.storage = {};
}

}  // namespace reprise::tape
