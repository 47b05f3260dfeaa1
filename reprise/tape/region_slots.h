// SPDX-License-Identifier: Apache-2.0
// The saved values of one region: what each must look like, and its bytes while backward needs
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include "reprise/tape/seen_version.h"

namespace reprise::tape {

// Shape, dtype and device of a saved value.
struct ValueMetadata {
  c10::SmallVector<std::int64_t, 4> sizes;
  c10::ScalarType dtype = c10::ScalarType::Undefined;
  c10::Device device = c10::kCPU;
  bool has_sizes = true;  // nested tensors have none that may be asked for

  static ValueMetadata of(const at::Tensor& tensor);
  bool operator==(const ValueMetadata&) const = default;
  std::string text() const;  // "[2, 3] Float cpu"
};

struct Slot {
  ValueMetadata metadata;
  std::int64_t node = 0;  // that it is saved for, as SavingNodes counts
  std::int64_t op = 0;    // index of the op that saves it
  // The op fills it after autograd has saved it (the noise of rrelu), unseen by the version
  // counter: complete one op later.
  bool is_filled_late = false;
  bool is_needed = false;  // a node of the graph still holds its handle
  std::optional<std::size_t> hash;

  at::Tensor value;           // there between a rerun and its last use
  SeenVersion value_version;  // when it was recomputed
};

// Hash of the bytes of a tensor, in logical order; none if it is not strided or has no bytes (meta
// tensors). Copies if the tensor
// is not contiguous or not on the CPU.
std::optional<std::size_t> hash_of_bytes(const at::Tensor& tensor);

// The slot's value. Throws c10::Error, in autograd's words, if it was changed in place since it was
// recomputed. REQUIRES: slot.value is defined.
const at::Tensor& checked_value(const Slot& slot, const std::string& region);

}  // namespace reprise::tape
