// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/idx_file.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "reprise/plan/format_error.h"
#include "reprise/zoo/read_bytes.h"

namespace reprise::zoo {
namespace {

constexpr std::int64_t kMagicBytes = 4;
constexpr std::uint8_t kUnsignedByte = 8;

std::string byte_list(const std::uint8_t* bytes, std::int64_t count) {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) {
    text += (i == 0 ? "" : " ") + std::to_string(bytes[i]);
  }
  return text.empty() ? "an empty file" : text;
}

std::int64_t big_endian(const std::uint8_t* bytes) {
  return std::int64_t{bytes[0]} << 24U | std::int64_t{bytes[1]} << 16U |
         std::int64_t{bytes[2]} << 8U | std::int64_t{bytes[3]};
}

void check_magic(const std::string& path, const std::uint8_t* bytes, std::int64_t size,
                 std::uint8_t dimensions) {
  if (size >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B) {
    throw FormatError::mismatch(place_at_offset(path, 0), "a plain IDX file",
                                "a gzip file; unpack it first (gunzip)");
  }
  const bool is_right = size >= kMagicBytes && bytes[0] == 0 && bytes[1] == 0 &&
                        bytes[2] == kUnsignedByte && bytes[3] == dimensions;
  if (!is_right) {
    throw FormatError::mismatch(place_at_offset(path, 0),
                                "0 0 8 " + std::to_string(dimensions) + " (IDX, unsigned bytes, " +
                                    std::to_string(dimensions) + " dimensions)",
                                byte_list(bytes, std::min(size, kMagicBytes)));
  }
}

at::Tensor read_idx(const std::string& path, std::uint8_t dimensions) {
  const at::Tensor file = read_bytes(path);
  const auto* const bytes = file.const_data_ptr<std::uint8_t>();
  const std::int64_t size = file.size(0);
  check_magic(path, bytes, size, dimensions);
  const std::int64_t header_bytes = kMagicBytes + 4 * std::int64_t{dimensions};
  if (size < header_bytes) {
    throw FormatError::mismatch(place_at_offset(path, kMagicBytes),
                                std::to_string(header_bytes - kMagicBytes) + " bytes of dimensions",
                                std::to_string(size - kMagicBytes));
  }
  std::vector<std::int64_t> shape;
  std::int64_t content_bytes = 1;
  for (std::int64_t offset = kMagicBytes; offset < header_bytes; offset += 4) {
    shape.push_back(big_endian(bytes + offset));
    if (shape.back() == 0 ||
        content_bytes > std::numeric_limits<std::int64_t>::max() / shape.back()) {
      throw FormatError::mismatch(place_at_offset(path, offset), "a dimension that a file can have",
                                  std::to_string(shape.back()));
    }
    content_bytes *= shape.back();
  }
  if (size - header_bytes != content_bytes) {
    throw FormatError::mismatch(place_at_offset(path, header_bytes),
                                std::to_string(content_bytes) + " bytes",
                                std::to_string(size - header_bytes));
  }
  return file.slice(0, header_bytes).view(shape);
}

}  // namespace

at::Tensor read_idx_images(const std::string& path) { return read_idx(path, 3); }

at::Tensor read_idx_labels(const std::string& path) { return read_idx(path, 1); }

}  // namespace reprise::zoo
