// SPDX-License-Identifier: Apache-2.0
// What an op does besides computing its results: which arguments it writes, whether it draws
// numbers.
#pragma once

#include <cstddef>
#include <optional>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

namespace reprise::tape {

using OpArguments = c10::ArrayRef<c10::IValue>;

// True if `op`, called with `arguments`, writes argument `index`. Schemas tell it, except those
// that lie: a table in the source names them.
bool writes_argument(const c10::OperatorHandle& op, OpArguments arguments, std::size_t index);

// True if the op is one of that table.
bool may_write_undeclared(const c10::OperatorHandle& op);

// The result of which the op leaves a part as it found it in memory: room for the longest of many
// sequences, a workspace. Nothing for almost every op.
std::optional<std::size_t> partly_unwritten_result(const c10::OperatorHandle& op);

// True if the argument holds running statistics that the op updates and does not read for its
// results: a replay passes none.
bool is_statistics_only(const c10::OperatorHandle& op, OpArguments arguments, std::size_t index);

// True if the op sets every element of the written argument `index` without reading any.
bool overwrites_argument(const c10::OperatorHandle& op, std::size_t index);

// True if the op's results hold whatever was in memory.
bool makes_uninitialised(const c10::OperatorHandle& op);

// False for ops that reach outside of the process, where a replay would act twice, and for those
// that the user has declared (never_replay.h).
bool may_replay(const c10::OperatorHandle& op);

// True if the op draws from a generator (ATen's tag `nondeterministic_seeded`).
bool is_random(const c10::OperatorHandle& op);

// The generator that a random op draws from: the one passed to it, else the default one of its
// device. Meta tensors hold no numbers and stand for tensors of the CPU: its generator is theirs.
at::Generator generator_of(OpArguments arguments);

// Calls `visit(tensor)` for every defined tensor in `value`: a tensor, or a list of (optional)
// tensors.
template <class Visit>
void for_each_tensor(const c10::IValue& value, Visit&& visit) {
  if (value.isTensor()) {
    if (const at::Tensor& tensor = value.toTensor(); tensor.defined()) {
      visit(tensor);
    }
  } else if (value.isList()) {
    for (const c10::IValue& element : value.toListRef()) {
      if (element.isTensor() && element.toTensor().defined()) {
        visit(element.toTensor());
      }
    }
  }
}

}  // namespace reprise::tape
