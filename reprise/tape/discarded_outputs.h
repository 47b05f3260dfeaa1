// SPDX-License-Identifier: Apache-2.0
// discard_output: a result of a region that nobody keeps for backward.
//
//   at::Tensor y = reprise::discard_output(reprise::checkpoint(norm, x));
//   at::Tensor z = linear(y);  // would keep y; keeps a handle of the region
//
// Megatron-LM has it by hand for single modules (CheckpointWithoutOutput).
#pragma once

#include <memory>

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

namespace reprise::tape {

// From now on, autograd saves no bytes of `x` on this thread: they go with the last handle of `x`
// that the program holds, and come back with the values of the region in backward. Returns `x`.
//
// `x`: a result of a region that replays, made by its ops; for anything else that requires grad,
// std::invalid_argument. Without gradients, and inside of another region or a step of a
// MemoryBudget, which keep or drop `x` themselves, nothing happens. A region that takes `x` as an
// argument keeps it. As long as `x` lives every tensor that autograd saves on this thread passes
// through a hook.
at::Tensor discard_output(const at::Tensor& x);

// For what autograd saves outside of any frame; null if this thread has discarded nothing that is
// still there.
std::unique_ptr<torch::autograd::SavedVariableHooks> hooks_for_discarded();

}  // namespace reprise::tape
