// SPDX-License-Identifier: Apache-2.0
// Checksums by which files and states are told apart. They find damage, not forgery.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace reprise::cli {

// CRC-32 as in gzip and PNG, going on from `before` (0: a new one).
std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before = 0);

// Eight hexadecimal digits.
std::string crc32_text(std::uint32_t crc);

}  // namespace reprise::cli
