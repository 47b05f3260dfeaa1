// SPDX-License-Identifier: Apache-2.0
// PassWatch: what a profiler gets to know of a pass, as it happens.
#pragma once

#include <cstdint>
#include <string>

#include "reprise/tape/held_values.h"
#include "reprise/tape/op_record.h"

namespace reprise::tape {

// All calls are made under the lock of the tape.
class PassWatch : public HoldingsWatch {
 public:
  // An op of forward. `id`: kNoOp if it was not recorded.
  virtual void before_op() {}
  virtual void after_op(OpId /*id*/) {}
  // Autograd has saved a tensor for a node. `is_made`: of a storage that a recorded op made.
  virtual void on_save(std::int64_t /*node*/, bool /*is_made*/) {}
  // A node of backward has asked for its first saved tensor; nothing was made again for it so far.
  virtual void on_use_begin(std::int64_t /*node*/, const std::string& /*name*/) {}
  // It gets the saved tensor.
  virtual void on_use_value(const TensorRef& /*ref*/) {}
  // It has let go of what it saved, or the next one begins.
  virtual void on_use_end() {}
  virtual void on_backward_end() {}
  virtual void before_replay() {}
  virtual void after_replay() {}
};

}  // namespace reprise::tape
