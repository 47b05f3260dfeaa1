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
// `x`: a result of a region that replays. Nothing happens to one that the region cannot bring back
// (an argument that it passed on, a result that was written since), without gradients, and inside
// of another region or a step of a MemoryBudget, which keep or drop `x` themselves. A region that
// takes `x` as an argument keeps it. As long as `x` lives every tensor that autograd saves on this
// thread passes through a hook.
// Throws std::invalid_argument if `x` is a leaf that requires grad: no region has made it.
at::Tensor discard_output(const at::Tensor& x);

// What takes the tensors that autograd saves outside of any frame: `others`, which may be null, if
// this thread has discarded nothing that is still there.
std::unique_ptr<torch::autograd::SavedVariableHooks> hooks_for_discarded(
    std::unique_ptr<torch::autograd::SavedVariableHooks> others);

}  // namespace reprise::tape
