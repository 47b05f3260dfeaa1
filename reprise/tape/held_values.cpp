// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/held_values.h"

namespace reprise::tape {

void HeldValues::hold(ValueId root, c10::Storage storage) {
  if (index(root) >= storages_.size()) {
    storages_.resize(index(root) + 1);
  }
  if (storages_[index(root)].unsafeGetStorageImpl() == storage.unsafeGetStorageImpl()) {
    return;
  }
  drop(root);
  if (watch_ != nullptr) {
    watch_->before_change();
    watch_->on_hold(root, static_cast<std::int64_t>(storage.nbytes()));
  }
  storages_[index(root)] = std::move(storage);
}

void HeldValues::drop(ValueId root) {
  if (!holds(root)) {
    return;
  }
  if (watch_ != nullptr) {
    watch_->before_change();
    watch_->on_drop(root, bytes(root));
  }
  storages_[index(root)] = {};
}

}  // namespace reprise::tape
