// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/file_bytes.h"

#include <filesystem>
#include <fstream>

#include <ATen/ops/empty.h>

#include "reprise/zoo/format_error.h"

namespace reprise::zoo {

at::Tensor read_file(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) {
    throw FormatError(path, "a file", error.message());
  }
  at::Tensor bytes = at::empty({static_cast<std::int64_t>(size)}, at::kByte);
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(bytes.mutable_data_ptr<std::uint8_t>()),
          static_cast<std::streamsize>(size));
  if (!in) {
    throw FormatError(path, std::to_string(size) + " readable bytes", std::to_string(in.gcount()));
  }
  return bytes;
}

}  // namespace reprise::zoo
