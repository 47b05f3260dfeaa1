// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/cpu_workspace.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <ATen/core/Tensor.h>

namespace reprise::profile {
namespace {

using tape::OpArguments;

// Their kernels bring both sides to one type first. Each has a form that writes in place.
constexpr std::array<std::string_view, 4> kOfOneType = {"aten::add", "aten::sub", "aten::mul",
                                                        "aten::div"};

// Their kernels copy what is not contiguous.
constexpr std::array<std::string_view, 5> kContiguous = {
    "aten::_softmax", "aten::_softmax_backward_data", "aten::_log_softmax",
    "aten::_log_softmax_backward_data", "aten::max_pool2d_with_indices_backward"};

template <std::size_t count>
bool is_among(const std::array<std::string_view, count>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::int64_t bytes_of(const at::Tensor& tensor) {
  return tensor.numel() * static_cast<std::int64_t>(tensor.element_size());
}

// The type of a number as a tensor.
std::optional<at::ScalarType> type_of_number(const c10::IValue& value) {
  if (value.isDouble()) {
    return at::kDouble;
  }
  if (value.isInt()) {
    return at::kLong;
  }
  const bool is_number = value.isTensor() && value.toTensor().defined() &&
                         value.toTensor().dim() == 0 && value.toTensor().is_cpu();
  return is_number ? std::optional(value.toTensor().scalar_type()) : std::nullopt;
}

std::int64_t number_bytes(OpArguments arguments) {
  const at::Tensor& self = arguments[0].toTensor();
  const std::optional<at::ScalarType> number = type_of_number(arguments[1]);
  return number && *number != self.scalar_type() && self.is_meta()
             ? static_cast<std::int64_t>(self.element_size())
             : 0;
}

std::int64_t copied_bytes(OpArguments arguments) {
  std::int64_t bytes = 0;
  for (const c10::IValue& argument : arguments) {
    tape::for_each_tensor(argument, [&](const at::Tensor& tensor) {
      bytes += tensor.is_contiguous() ? 0 : bytes_of(tensor);
    });
  }
  return bytes;
}

// oneDNN wants the gradient in the order of the input, and so it makes its result, which is to be
// in the order of the gradient.
std::int64_t gelu_backward_bytes(OpArguments arguments) {
  const at::Tensor& gradient = arguments[0].toTensor();
  const at::Tensor& input = arguments[1].toTensor();
  if (gradient.strides() == input.strides()) {
    return 0;
  }
  return bytes_of(input) * (gradient.is_non_overlapping_and_dense() ? 2 : 1);
}

}  // namespace

std::int64_t cpu_workspace_bytes(const c10::OperatorHandle& op, OpArguments arguments) {
  std::string_view name = op.schema().name();
  if (name == "aten::mean") {
    // The count that the sum is divided by, also as a number of the tensor's type.
    const at::Tensor& self = arguments[0].toTensor();
    return static_cast<std::int64_t>(sizeof(std::int64_t) + self.element_size());
  }
  if (name == "aten::gelu_backward") {
    return gelu_backward_bytes(arguments);
  }
  if (is_among(kContiguous, name)) {
    return copied_bytes(arguments);
  }
  if (name.ends_with('_')) {
    name.remove_suffix(1);
  }
  return is_among(kOfOneType, name) ? number_bytes(arguments) : 0;
}

}  // namespace reprise::profile
