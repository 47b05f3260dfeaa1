// SPDX-License-Identifier: Apache-2.0
// OpMismatch: an op that cannot be replayed, found by MemoryBudgetOptions::checks_ops.
#pragma once

#include <stdexcept>

namespace reprise::tape {

// "op 12 (aten::foo): expected ..., got ...". Thrown out of the op's call; the step that it belongs
// to may go on or be dropped.
class OpMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace reprise::tape
