// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/estimated_cost.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "reprise/tape/op_traits.h"
#include "reprise/tape/tensor_view.h"

namespace reprise::profile {
namespace {

using tape::OpArguments;

constexpr std::string_view kAttention = "aten::_scaled_dot_product_";
constexpr std::string_view kBackward = "_backward";
// Forward multiplies queries with keys, and scores with values. Backward makes the scores again,
// and has two products for each of forward's.
constexpr double kAttentionBackward = 2.5;

// Read no more of their first argument than they give.
constexpr std::array<std::string_view, 4> kLookups = {"aten::embedding", "aten::index_select",
                                                      "aten::index", "aten::gather"};

// The first of the two matrices (or stacks of them) that the op multiplies.
struct Product {
  std::string_view name;
  std::size_t first;
};
constexpr std::array<Product, 8> kProducts = {
    Product{"aten::mm", 0}, {"aten::bmm", 0},   {"aten::mv", 0},      {"aten::dot", 0},
    {"aten::addmm", 1},     {"aten::addmv", 1}, {"aten::baddbmm", 1}, {"aten::addbmm", 1}};

double elements(const at::Tensor& tensor) { return static_cast<double>(tensor.numel()); }

// Expanded tensors have fewer bytes than elements.
double bytes_of(const at::Tensor& tensor) {
  const double bytes = elements(tensor) * static_cast<double>(tensor.element_size());
  return tape::has_dense_storage(tensor)
             ? std::min(bytes, static_cast<double>(tensor.storage().nbytes()))
             : bytes;
}

double bytes_of(const c10::IValue& value) {
  double bytes = 0;
  tape::for_each_tensor(value, [&](const at::Tensor& tensor) { bytes += bytes_of(tensor); });
  return bytes;
}

double product_flops(const at::Tensor& left, const at::Tensor& right) {
  const double columns = right.dim() < 2 ? 1 : static_cast<double>(right.size(-1));
  return 2 * elements(left) * columns;
}

// Each element of the larger side, the side that `weight` makes or is made of, meets one slice of
// the weights.
double convolution_flops(const at::Tensor& side, const at::Tensor& weight) {
  return 2 * elements(side) * elements(weight) / static_cast<double>(weight.size(0));
}

bool is_causal(const c10::OperatorHandle& op, OpArguments arguments) {
  const std::optional<int> index = op.schema().argumentIndexWithName("is_causal");
  return index && arguments[static_cast<std::size_t>(*index)].toBool();
}

double attention_flops(const c10::OperatorHandle& op, OpArguments arguments) {
  const bool is_backward =
      std::string_view(op.schema().name()).find(kBackward) != std::string::npos;
  const std::size_t first = is_backward ? 1 : 0;  // backward's first is a gradient
  const at::Tensor& query = arguments[first].toTensor();
  const at::Tensor& key = arguments[first + 1].toTensor();
  const at::Tensor& value = arguments[first + 2].toTensor();
  const double scores = elements(query) / static_cast<double>(query.size(-1)) *
                        static_cast<double>(key.size(-2)) * (is_causal(op, arguments) ? 0.5 : 1);
  const double forward = 2 * scores * static_cast<double>(query.size(-1) + value.size(-1));
  return forward * (is_backward ? kAttentionBackward : 1);
}

double flops_of(const c10::OperatorHandle& op, OpArguments arguments, OpArguments results) {
  const std::string_view name = op.schema().name();
  for (const Product& product : kProducts) {
    if (name == product.name) {
      return product_flops(arguments[product.first].toTensor(),
                           arguments[product.first + 1].toTensor());
    }
  }
  if (name == "aten::convolution") {
    return convolution_flops((arguments[6].toBool() ? arguments[0] : results[0]).toTensor(),
                             arguments[1].toTensor());
  }
  if (name == "aten::convolution_backward") {
    const double each = convolution_flops(arguments[arguments[7].toBool() ? 1 : 0].toTensor(),
                                          arguments[2].toTensor());
    return each * (results[0].toTensor().defined() ? 1 : 0) +
           each * (results[1].toTensor().defined() ? 1 : 0);
  }
  return name.starts_with(kAttention) ? attention_flops(op, arguments) : 0;
}

// Looks at an argument, whatever its schema says (aten::_unsafe_view).
bool is_view(const c10::OperatorHandle& op, OpArguments arguments, OpArguments results) {
  const tape::OpTraits& traits = tape::traits_of(op);
  if (traits.is_view || traits.may_write || arguments.empty() || results.empty()) {
    return traits.is_view;
  }
  const auto storage_of = [](const c10::IValue& value) {
    const bool is_dense =
        value.isTensor() && value.toTensor().defined() && tape::has_dense_storage(value.toTensor());
    return is_dense ? value.toTensor().storage().unsafeGetStorageImpl() : nullptr;
  };
  const c10::StorageImpl* const storage = storage_of(results[0]);
  return storage != nullptr && storage == storage_of(arguments[0]);
}

double moved_bytes(const c10::OperatorHandle& op, OpArguments arguments, OpArguments results) {
  double bytes = 0;
  for (const c10::IValue& result : results) {
    bytes += bytes_of(result);
  }
  const bool is_lookup = std::find(kLookups.begin(), kLookups.end(),
                                   std::string_view(op.schema().name())) != kLookups.end();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (is_lookup && i == 0) {
      bytes += std::min(bytes_of(arguments[0]), bytes_of(results[0]));
    } else if (!tape::writes_argument(op, arguments, i) || !tape::overwrites_argument(op, i)) {
      bytes += bytes_of(arguments[i]);
    }
  }
  return bytes;
}

}  // namespace

OpWork work_of(const c10::OperatorHandle& op, OpArguments arguments, OpArguments results) {
  if (tape::traits_of(op).makes_uninitialised || is_view(op, arguments, results)) {
    return {};
  }
  return {.flops = flops_of(op, arguments, results), .bytes = moved_bytes(op, arguments, results)};
}

double estimated_us(const OpWork& work, const MachineSpeed& speed) {
  constexpr double per_us = 1e3;  // 1e9 a second
  return std::max(work.flops / (speed.gflops * per_us), work.bytes / (speed.gbytes_per_s * per_us));
}

}  // namespace reprise::profile
