// SPDX-License-Identifier: Apache-2.0
// IDX files of bytes, the format of MNIST: 0, 0, 8 (unsigned byte), the number of dimensions, each
// dimension as a big-endian 32-bit number, then the bytes.
#pragma once

#include <string>

#include <ATen/core/Tensor.h>

namespace reprise::zoo {

// [count, height, width] of uint8. Throws FormatError if the file is compressed, of another format,
// truncated or longer than its header says.
at::Tensor read_idx_images(const std::string& path);

// [count] of uint8. Throws FormatError likewise.
at::Tensor read_idx_labels(const std::string& path);

}  // namespace reprise::zoo
