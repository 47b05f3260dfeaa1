// SPDX-License-Identifier: Apache-2.0
// OpRecord: one op that ran, with all that is needed to run it again but the bytes of its tensors.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <c10/util/SmallVector.h>

#include "reprise/tape/op_effects.h"
#include "reprise/tape/tensor_view.h"

namespace reprise::tape {

// Values and ops of a tape, by position.
using ValueId = std::int32_t;
using OpId = std::int32_t;
inline constexpr ValueId kNoValue = -1;
inline constexpr OpId kNoOp = -1;

// A tensor as an op saw it. `kNoValue`: an undefined one.
struct TensorRef {
  ValueId value = kNoValue;
  std::shared_ptr<const TensorView> view;  // owned with all that look alike; null for kNoValue
};

// The tensors of one argument.
struct TensorArgument {
  enum class Kind { kTensor, kList, kOptionalList };
  std::size_t index = 0;
  Kind kind = Kind::kTensor;
  c10::SmallVector<TensorRef, 1> refs;
};

// The op made version `after` of a storage that held `before`, through argument `index` (its
// element `element`, if it is a list).
struct Write {
  std::size_t index = 0;
  std::size_t element = 0;
  ValueId before = kNoValue;
  ValueId after = kNoValue;
  bool reads_before = true;  // false: it set every byte

  bool operator==(const Write&) const = default;
};

// Result `index` (its element `element`, if it is a list) lies in the storage of a new value.
struct MadeResult {
  std::size_t index = 0;
  std::size_t element = 0;
  ValueId value = kNoValue;

  bool operator==(const MadeResult&) const = default;
};

struct OpRecord {
  c10::OperatorHandle op;
  c10::DispatchKeySet keys;
  std::vector<c10::IValue> arguments = {};  // those that are `tensors` are None here
  c10::SmallVector<TensorArgument, 2> tensors = {};
  c10::SmallVector<Write, 1> written = {};
  c10::SmallVector<MadeResult, 1> results = {};
  at::Generator generator = {};  // that it drew from
  caffe2::TypeMeta default_dtype;
  bool grad_mode = true;
  std::uint64_t digest = 0;  // op_hash.h

  // Calls `visit(ref)` for each mention of a value whose bytes the op read.
  template <class Visit>
  void for_each_read(Visit&& visit) const {
    for (const TensorArgument& argument : tensors) {
      for (const TensorRef& ref : argument.refs) {
        if (ref.value != kNoValue && !is_overwritten(ref.value)) {
          visit(ref);
        }
      }
    }
  }
  bool writes(ValueId value) const;          // which held `value` before
  bool is_overwritten(ValueId value) const;  // without having read it

  // The arguments with tensors in place; `tensor_of` is asked for undefined ones too.
  std::vector<c10::IValue> filled(
      const std::function<at::Tensor(const TensorRef& ref)>& tensor_of) const;
};

// The record of a call, without writes and results. `ref_of` is asked for each defined tensor.
OpRecord record_call(const c10::OperatorHandle& op, c10::DispatchKeySet keys, OpArguments arguments,
                     const std::function<TensorRef(const at::Tensor&)>& ref_of);

}  // namespace reprise::tape
