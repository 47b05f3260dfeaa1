// SPDX-License-Identifier: Apache-2.0
// Views of tensors are half of all ops, and a tape has no use for them: what they give lies in a
// storage that is known. Kernels of their own keep the common ones from being boxed for nothing.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace reprise::tape {

struct ViewKernels {
  bool (*are_seen)();  // on this thread
  // What an op of a frame that wants to see views runs through instead.
  void (*see)(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);
};

// Registers them on kTapeKey, once; for the rest of the process.
void install_view_kernels(const ViewKernels& kernels);

}  // namespace reprise::tape
