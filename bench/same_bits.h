// SPDX-License-Identifier: Apache-2.0
// Whether two steps computed the same, bit by bit.
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

namespace reprise::bench {

using Tensors = std::vector<at::Tensor>;

// Same type, shape and bytes; NaN equals itself, and undefined tensors equal each other.
bool same_bits(const at::Tensor& a, const at::Tensor& b);
bool same_bits(const Tensors& a, const Tensors& b);

}  // namespace reprise::bench
