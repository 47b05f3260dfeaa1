// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/model_state.h"

#include <cstring>
#include <limits>
#include <string_view>

#include "reprise/cli/checksum.h"
#include "reprise/cli/ulp_difference.h"

namespace reprise::cli {
namespace {

std::string_view bytes_of(const at::Tensor& contiguous) {
  return {static_cast<const char*>(contiguous.const_data_ptr()), contiguous.nbytes()};
}

}  // namespace

bool is_bitwise_equal(const at::Tensor& left, const at::Tensor& right) {
  return left.dtype() == right.dtype() && left.sizes() == right.sizes() &&
         bytes_of(left.contiguous()) == bytes_of(right.contiguous());
}

std::uint64_t largest_difference(const at::Tensor& left, const at::Tensor& right) {
  constexpr auto incomparable = std::numeric_limits<std::uint64_t>::max();
  if (!left.defined() || !right.defined()) {
    return left.defined() == right.defined() ? 0 : incomparable;
  }
  if (left.dtype() != right.dtype() || left.sizes() != right.sizes()) {
    return incomparable;
  }
  const at::Tensor mine = left.contiguous();
  const at::Tensor others = right.contiguous();
  if (mine.is_floating_point()) {
    return largest_ulp_difference(mine.const_data_ptr(), others.const_data_ptr(),
                                  static_cast<std::size_t>(mine.numel()), mine.element_size());
  }
  return mine.numel() == 0
             ? 0
             : (mine.to(at::kLong) - others.to(at::kLong)).abs().max().item<std::int64_t>();
}

std::vector<std::pair<std::string, at::Tensor>> model_state(const torch::nn::Module& model) {
  std::vector<std::pair<std::string, at::Tensor>> state;
  for (const auto& item : model.named_parameters()) {
    state.emplace_back(item.key(), item.value().detach());
  }
  for (const auto& item : model.named_buffers()) {
    state.emplace_back(item.key(), item.value().detach());
  }
  return state;
}

bool has_equal_state(const torch::nn::Module& left, const torch::nn::Module& right) {
  const auto mine = model_state(left);
  const auto others = model_state(right);
  bool is_equal = mine.size() == others.size();
  for (std::size_t i = 0; is_equal && i < mine.size(); ++i) {
    is_equal =
        mine[i].first == others[i].first && is_bitwise_equal(mine[i].second, others[i].second);
  }
  return is_equal;
}

std::uint32_t state_crc32(const torch::nn::Module& model) {
  std::uint32_t crc = 0;
  for (const auto& [name, tensor] : model_state(model)) {
    crc = crc32_of(bytes_of(tensor.contiguous()), crc);
  }
  return crc;
}

std::int64_t parameter_count(const torch::nn::Module& model) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : model.parameters()) {
    count += parameter.numel();
  }
  return count;
}

}  // namespace reprise::cli
