// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/model_state.h"

#include <cstring>
#include <string_view>

#include "reprise/cli/checksum.h"

namespace reprise::cli {
namespace {

std::string_view bytes_of(const at::Tensor& contiguous) {
  return {static_cast<const char*>(contiguous.const_data_ptr()), contiguous.nbytes()};
}

bool bitwise_equal(const at::Tensor& left, const at::Tensor& right) {
  return left.dtype() == right.dtype() && left.sizes() == right.sizes() &&
         bytes_of(left.contiguous()) == bytes_of(right.contiguous());
}

}  // namespace

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
    is_equal = mine[i].first == others[i].first && bitwise_equal(mine[i].second, others[i].second);
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
