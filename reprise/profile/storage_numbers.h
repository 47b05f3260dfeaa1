// SPDX-License-Identifier: Apache-2.0
// StorageNumbers: the values of a tape as versions of storages that are numbered as they come up.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "reprise/profile/step_trace.h"
#include "reprise/tape/value_table.h"

namespace reprise::profile {

// All of `bytes` bytes.
tape::ByteView whole(std::int64_t bytes);

class StorageNumbers {
 public:
  // `values`, and what access() is given, must outlive the numbers and stay as they are.
  explicit StorageNumbers(const tape::ValueTable& values);

  int of(tape::ValueId value);
  Access access(const tape::TensorRef& ref) { return access(ref.value, *ref.view); }
  Access access(tape::ValueId value, const tape::TensorView& view);
  // Sets the shape and dtype of the first tensor over the storage that access() was asked for.
  void describe(int storage, StorageTrace& trace) const;
  // Per storage, the first of its values.
  const std::vector<tape::ValueId>& roots() const { return roots_; }

 private:
  const tape::ValueTable& values_;
  std::vector<int> versions_;  // per value
  std::unordered_map<tape::ValueId, int> numbers_;
  std::vector<tape::ValueId> roots_;
  std::vector<const tape::TensorView*> first_views_;  // per storage, may be null
};

}  // namespace reprise::profile
