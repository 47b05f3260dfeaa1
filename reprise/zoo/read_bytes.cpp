// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/read_bytes.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <ATen/ops/empty.h>

#include "reprise/plan/format_error.h"
#include "reprise/zoo/read_blocks.h"

namespace reprise::zoo {

at::Tensor read_bytes(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) {
    throw FormatError(path, "cannot be read: " + error.message());
  }
  at::Tensor bytes = at::empty({static_cast<std::int64_t>(size)}, at::kByte);
  auto* const to = bytes.mutable_data_ptr<std::uint8_t>();
  std::uintmax_t count = 0;
  read_blocks(path, [&](std::string_view block) {
    if (block.size() <= size - std::min(count, size)) {
      std::copy(block.begin(), block.end(), to + count);
    }
    count += block.size();
  });
  if (count != size) {  // somebody writes to it
    throw FormatError::mismatch(path, std::to_string(size) + " bytes", std::to_string(count));
  }
  return bytes;
}

}  // namespace reprise::zoo
