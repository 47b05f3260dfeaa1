// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/storage_numbers.h"

#include <c10/core/ScalarType.h>

namespace reprise::profile {

tape::ByteView whole(std::int64_t bytes) {
  return {.offset = 0, .item_bytes = 1, .sizes = {bytes}, .strides = {1}};
}

StorageNumbers::StorageNumbers(const tape::ValueTable& values)
    : values_(values), versions_(static_cast<std::size_t>(values.size()), 0) {
  // A value is older than what a write makes of it. What becomes of an external storage is nobody's
  // concern: it is there.
  for (tape::ValueId value = 0; value < values.size(); ++value) {
    const tape::ValueId next = values.at(value).next;
    if (next != tape::kNoValue && !values.at(values.root(value)).is_external()) {
      versions_[static_cast<std::size_t>(next)] = versions_[static_cast<std::size_t>(value)] + 1;
    }
  }
}

int StorageNumbers::of(tape::ValueId value) {
  const tape::ValueId root = values_.root(value);
  const auto [position, is_new] = numbers_.try_emplace(root, static_cast<int>(roots_.size()));
  if (is_new) {
    roots_.push_back(root);
    first_views_.push_back(nullptr);
  }
  return position->second;
}

Access StorageNumbers::access(tape::ValueId value, const tape::TensorView& view) {
  const int storage = of(value);
  const tape::TensorView*& first = first_views_[static_cast<std::size_t>(storage)];
  if (first == nullptr && view.dtype != caffe2::TypeMeta()) {
    first = &view;
  }
  return {.storage = storage,
          .version = versions_[static_cast<std::size_t>(value)],
          .view = view.bytes()};
}

void StorageNumbers::describe(int storage, StorageTrace& trace) const {
  if (const tape::TensorView* const view = first_views_[static_cast<std::size_t>(storage)]) {
    trace.shape.assign(view->sizes.begin(), view->sizes.end());
    trace.dtype = c10::getDtypeNames(view->dtype.toScalarType()).first;
  }
}

}  // namespace reprise::profile
