// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/op_record.h"

#include <algorithm>
#include <utility>

#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>

namespace reprise::tape {
namespace {

// Whether the argument is a list that may have tensors in it, and of which kind.
std::optional<TensorArgument::Kind> kind_of(const c10::IValue& value) {
  if (value.isTensor()) {
    return TensorArgument::Kind::kTensor;
  }
  if (value.isTensorList()) {
    return TensorArgument::Kind::kList;
  }
  if (value.isOptionalTensorList()) {
    return TensorArgument::Kind::kOptionalList;
  }
  return std::nullopt;
}

template <class Element>
c10::IValue list_of(const TensorArgument& argument,
                    const std::function<at::Tensor(const TensorRef&)>& tensor_of) {
  c10::List<Element> list;
  for (const TensorRef& ref : argument.refs) {
    list.push_back(tensor_of(ref));
  }
  return list;
}

c10::IValue with_tensors(const TensorArgument& argument,
                         const std::function<at::Tensor(const TensorRef&)>& tensor_of) {
  switch (argument.kind) {
    case TensorArgument::Kind::kTensor:
      return tensor_of(argument.refs[0]);
    case TensorArgument::Kind::kList:
      return list_of<at::Tensor>(argument, tensor_of);
    case TensorArgument::Kind::kOptionalList:
      return list_of<std::optional<at::Tensor>>(argument, tensor_of);
  }
  return {};
}

}  // namespace

bool OpRecord::writes(ValueId value) const {
  return std::any_of(written.begin(), written.end(),
                     [value](const Write& write) { return write.before == value; });
}

bool OpRecord::is_overwritten(ValueId value) const {
  return std::any_of(written.begin(), written.end(), [value](const Write& write) {
    return write.before == value && !write.reads_before;
  });
}

std::vector<c10::IValue> OpRecord::filled(
    const std::function<at::Tensor(const TensorRef& ref)>& tensor_of) const {
  std::vector<c10::IValue> stack = arguments;
  for (const TensorArgument& argument : tensors) {
    c10::IValue value = with_tensors(argument, tensor_of);
    stack[argument.index].swap(value);
  }
  return stack;
}

OpRecord record_call(const c10::OperatorHandle& op, c10::DispatchKeySet keys, OpArguments arguments,
                     const std::function<TensorRef(const at::Tensor&)>& ref_of) {
  OpRecord record{.op = op,
                  .keys = keys,
                  .default_dtype = c10::get_default_dtype(),
                  .grad_mode = c10::GradMode::is_enabled()};
  record.arguments.reserve(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto kind = kind_of(arguments[i]);
    if (!kind) {
      record.arguments.push_back(arguments[i]);
      continue;
    }
    record.arguments.emplace_back();
    TensorArgument argument{.index = i, .kind = *kind, .refs = {}};
    const auto add = [&](const c10::IValue& value) {
      argument.refs.push_back(
          value.isTensor() && value.toTensor().defined() ? ref_of(value.toTensor()) : TensorRef());
    };
    if (*kind == TensorArgument::Kind::kTensor) {
      add(arguments[i]);
    } else {
      for (const c10::IValue& element : arguments[i].toListRef()) {
        add(element);
      }
    }
    record.tensors.push_back(std::move(argument));
  }
  return record;
}

}  // namespace reprise::tape
