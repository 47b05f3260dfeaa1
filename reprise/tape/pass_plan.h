// SPDX-License-Identifier: Apache-2.0
// PassPlan: a schedule, put in terms of the values and saved tensors of a pass.
//
// Ops, values and saved tensors have the numbers that a pass gives them when it runs the same ops
// in the same order.
#pragma once

#include <cstdint>
#include <vector>

#include "reprise/tape/op_record.h"

namespace reprise::tape {

struct PassPlan {
  struct Replay {
    std::vector<ValueId> makes;
    std::vector<ValueId> ends;  // roots of which nothing reads the instance any more
  };
  struct Use {
    std::int64_t node = 0;  // of those that saved tensors, in the order of forward
    std::vector<Replay> replays;
    std::vector<ValueId> ends;
  };

  // After each op, of all ops and saved tensors so far; and of the whole forward.
  std::vector<std::uint64_t> hashes_after_ops;
  std::uint64_t forward_hash = 0;
  std::vector<bool> is_kept;  // per value, of roots: backward reads the instance of forward
  std::vector<Use> uses;      // in the order of backward
};

}  // namespace reprise::tape
