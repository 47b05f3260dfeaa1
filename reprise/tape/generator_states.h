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
  // REQUIRES: `op` comes after those that were added before. An op that turned out to draw nothing
  // (attention without dropout) costs nothing: it shares a state with the next one.
  void add(OpId op, at::Tensor state);
  // Undefined if the op drew nothing, or its state was forgotten.
  at::Tensor before(OpId op) const;
  // Gives up the states of the ops from `first` on. Whether there were any.
  bool forget_from(OpId first);
  // The most bytes that it has kept so far.
  std::int64_t most_bytes() const { return most_bytes_; }
  // Moves out all that it keeps.
  std::vector<at::Tensor> take();

 private:
  std::vector<std::pair<OpId, at::Tensor>> states_;  // ops ascend
  std::int64_t bytes_ = 0;
  std::int64_t most_bytes_ = 0;
};

}  // namespace reprise::tape
