// SPDX-License-Identifier: Apache-2.0
// A model's parameters and buffers: listed, compared bit by bit, summed up in a checksum.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <torch/torch.h>

namespace reprise::cli {

// Parameters, then buffers, each in the order in which the model registers them. Tensors share
// memory with the model.
std::vector<std::pair<std::string, at::Tensor>> model_state(const torch::nn::Module& model);

bool is_bitwise_equal(const at::Tensor& left, const at::Tensor& right);

// The largest difference of an element: of floating-point numbers in ulp (ulp_difference.h), of
// integers as it is. 0 if and only if type, shape and every bit agree, or neither is defined; the
// largest number there is if they are no such two tensors.
std::uint64_t largest_difference(const at::Tensor& left, const at::Tensor& right);

// True if names, types, shapes and every bit agree.
bool has_equal_state(const torch::nn::Module& left, const torch::nn::Module& right);

// CRC-32 over the bytes of model_state(), in its order.
std::uint32_t state_crc32(const torch::nn::Module& model);

// Elements of all parameters.
std::int64_t parameter_count(const torch::nn::Module& model);

}  // namespace reprise::cli
