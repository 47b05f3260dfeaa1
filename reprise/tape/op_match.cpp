// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/op_match.h"

#include <algorithm>

#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>

#include "reprise/tape/op_writes.h"

namespace reprise::tape {
namespace {

bool is_same_list(const c10::IValue& a, const c10::IValue& b) {
  const c10::ArrayRef<c10::IValue> one = a.toListRef();
  const c10::ArrayRef<c10::IValue> other = b.toListRef();
  return std::equal(
      one.begin(), one.end(), other.begin(), other.end(),
      [](const c10::IValue& x, const c10::IValue& y) { return x.toInt() == y.toInt(); });
}

// Of arguments that are no tensors. May say no to equal ones of rare types.
bool is_same(const c10::IValue& a, const c10::IValue& b) {
  if (a.isNone() || b.isNone()) {
    return a.isNone() && b.isNone();
  }
  if (a.isInt()) {
    return b.isInt() && a.toInt() == b.toInt();
  }
  if (a.isBool()) {
    return b.isBool() && a.toBool() == b.toBool();
  }
  if (a.isDouble()) {
    return b.isDouble() && a.toDouble() == b.toDouble();
  }
  if (a.isIntList()) {
    return b.isIntList() && is_same_list(a, b);
  }
  if (a.isGenerator()) {
    return b.isGenerator() && a.toGenerator() == b.toGenerator();
  }
  if (a.isDevice()) {
    return b.isDevice() && a.toDevice() == b.toDevice();
  }
  return a.isString() && b.isString() && a.toStringRef() == b.toStringRef();
}

bool is_same(const TensorRef& ref, const c10::IValue& value, ValueTable& values) {
  if (!value.isTensor() || !value.toTensor().defined()) {
    return ref.value == kNoValue;
  }
  return is_repeated(ref, value.toTensor(), values);
}

bool is_same(const TensorArgument& argument, const c10::IValue& value, ValueTable& values) {
  if (argument.kind == TensorArgument::Kind::kTensor) {
    return value.isTensor() && is_same(argument.refs[0], value, values);
  }
  if (!value.isList()) {
    return false;
  }
  const c10::ArrayRef<c10::IValue> elements = value.toListRef();
  if (elements.size() != argument.refs.size()) {
    return false;
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (!is_same(argument.refs[i], elements[i], values)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool is_repeated(const TensorRef& ref, const at::Tensor& tensor, ValueTable& values) {
  return ref.value != kNoValue && has_dense_storage(tensor) &&
         (values.is_where_made(tensor, ref.value) || values.value_of(tensor) == ref.value) &&
         ref.view->is_of(tensor);
}

bool is_repeated(const OpRecord& record, const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                 OpArguments arguments, ValueTable& values) {
  if (record.op != op || record.keys != keys || record.arguments.size() != arguments.size() ||
      record.grad_mode != c10::GradMode::is_enabled() ||
      record.default_dtype != c10::get_default_dtype()) {
    return false;
  }
  const auto* tensors = record.tensors.begin();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (tensors != record.tensors.end() && tensors->index == i) {
      if (!is_same(*tensors, arguments[i], values)) {
        return false;
      }
      ++tensors;
    } else if (is_left_out(record, arguments, i)) {
      values.value_of(arguments[i].toTensor());  // as where it was recorded
    } else if (!is_same(record.arguments[i], arguments[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace reprise::tape
