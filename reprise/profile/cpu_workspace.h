// SPDX-License-Identifier: Apache-2.0
// What an op takes for itself on the CPU, where libtorch's own kernel of the meta device stands for
// it and takes nothing. (Our kernels take it themselves: meta_kernels.h.)
#pragma once

#include <cstdint>

#include <ATen/core/dispatch/Dispatcher.h>

#include "reprise/tape/op_effects.h"

namespace reprise::profile {

// Of one call. Known are numbers that meet tensors of another type, means, and copies of arguments
// that softmax, GELU and max pooling want in another order.
std::int64_t cpu_workspace_bytes(const c10::OperatorHandle& op, tape::OpArguments arguments);

}  // namespace reprise::profile
