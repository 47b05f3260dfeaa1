// SPDX-License-Identifier: Apache-2.0
// How long an op takes where nothing can be measured: by the arithmetic that it does and the bytes
// that it moves, whichever takes a machine longer (the roofline model: Williams, Waterman,
// Patterson 2009).
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include "reprise/tape/op_effects.h"

namespace reprise::profile {

// The defaults are round numbers, of no machine in particular.
struct MachineSpeed {
  double gflops = 1000;       // 1e9 floating-point operations per second
  double gbytes_per_s = 100;  // 1e9 bytes read or written per second
};

struct OpWork {
  double flops = 0;
  double bytes = 0;
};

// Of one call. Only products of matrices, convolutions and fused attention, and their backwards,
// count as arithmetic; a multiplication and an addition are two. Every tensor that is read or
// written moves its bytes; views and memory that is only set aside move none.
OpWork work_of(const c10::OperatorHandle& op, tape::OpArguments arguments,
               tape::OpArguments results);

double estimated_us(const OpWork& work, const MachineSpeed& speed);

}  // namespace reprise::profile
