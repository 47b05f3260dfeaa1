// SPDX-License-Identifier: Apache-2.0
// GeneratorStates: what generators were like before the random ops of a tape drew from them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "reprise/tape/op_record.h"

namespace reprise::tape {

// Apart from the records of the ops, which passes share that draw other numbers.
class GeneratorStates {
 public:
  // REQUIRES: `op` comes after those that were added before.
  void add(OpId op, at::Tensor state);
  // Undefined if the op drew nothing.
  at::Tensor before(OpId op) const;
  std::int64_t bytes() const { return bytes_; }
  // Moves out all that it keeps.
  std::vector<at::Tensor> take();

 private:
  std::vector<std::pair<OpId, at::Tensor>> states_;  // ops ascend
  std::int64_t bytes_ = 0;
};

}  // namespace reprise::tape
