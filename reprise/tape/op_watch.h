// SPDX-License-Identifier: Apache-2.0
// What one run of a region did, op by op.
#pragma once

#include <cstdint>

#include <ATen/core/dispatch/Dispatcher.h>

#include "reprise/tape/op_effects.h"
#include "reprise/tape/op_list.h"
#include "reprise/tape/outside_tensors.h"
#include "reprise/tape/random_states.h"

namespace reprise::tape {

struct OpWatch {
  bool keeps_random_states = true;

  OutsideTensors outside;
  RandomStates random;
  SeenOps ops;
  std::int64_t unpreserved_random = 0;

  // REQUIRES: called before the op runs, with its arguments; then after it, with its results.
  void before_op(const c10::OperatorHandle& op, OpArguments arguments);
  void after_op(OpArguments results);
};

}  // namespace reprise::tape
