// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/storage_numbers.h"

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
  }
  return position->second;
}

Access StorageNumbers::access(const tape::TensorRef& ref) {
  return {.storage = of(ref.value),
          .version = versions_[static_cast<std::size_t>(ref.value)],
          .view = ref.view.bytes()};
}

}  // namespace reprise::profile
