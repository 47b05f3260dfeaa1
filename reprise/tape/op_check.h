// SPDX-License-Identifier: Apache-2.0
// OpCheck: whether recorded ops do what the tape believes of them.
#pragma once

#include <cstddef>
#include <vector>

#include <ATen/core/Tensor.h>

#include "reprise/tape/op_mismatch.h"
#include "reprise/tape/tape.h"

namespace reprise::tape {

// Looks at one op after the other, around its call.
class OpCheck {
 public:
  // Remembers the bytes that the op should not write.
  void before_op(const c10::OperatorHandle& op, OpArguments arguments);
  // Throws OpMismatch if they have changed.
  void after_op(const Tape& tape);
  // Replays the op and throws OpMismatch unless that gives the same bits again.
  static void replay(Tape& tape, OpId id);

 private:
  struct Argument {
    std::size_t index;
    at::Tensor tensor;
    std::size_t hash;
  };
  std::string name_;
  std::vector<Argument> only_read_;
};

}  // namespace reprise::tape
