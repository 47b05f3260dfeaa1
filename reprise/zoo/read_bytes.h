// SPDX-License-Identifier: Apache-2.0
// A whole file as a tensor.
#pragma once

#include <string>

#include <ATen/core/Tensor.h>

namespace reprise::zoo {

// Bytes [size] of uint8. Throws FormatError if the file cannot be read.
at::Tensor read_bytes(const std::string& path);

}  // namespace reprise::zoo
