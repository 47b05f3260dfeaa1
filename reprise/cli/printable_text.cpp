// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/printable_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace reprise::cli {
namespace {

// The smallest code that so many bytes may stand for; below 0xA0 are controls.
constexpr std::array<std::uint32_t, 5> kSmallest = {0, 0, 0xA0, 0x800, 0x10000};

std::uint32_t byte_at(const std::string& bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U;
}

// Bytes of the character that begins at `at`; 0 if none does that may be shown.
std::size_t character_bytes(const std::string& bytes, std::size_t at) {
  const std::uint32_t lead = byte_at(bytes, at);
  if (lead < 0x80) {
    return lead == '\n' || lead == '\t' || (lead >= 0x20 && lead != 0x7F) ? 1 : 0;
  }
  const std::size_t count = lead >= 0xF0 ? 4 : (lead >= 0xE0 ? 3 : 2);
  std::uint32_t code = lead & (0xFFU >> (count + 1));
  for (std::size_t i = 1; i < count; ++i) {
    const std::uint32_t next = byte_at(bytes, at + i);
    if ((next & 0xC0U) != 0x80U) {
      return 0;
    }
    code = (code << 6U) | (next & 0x3FU);
  }
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  // They would show what follows in another order than it has.
  const bool is_direction =
      (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return lead >= 0xC0 && lead < 0xF8 && code >= kSmallest[count] && code <= 0x10FFFF &&
                 !is_surrogate && !is_direction
             ? count
             : 0;
}

}  // namespace

std::string printable_text(const std::string& bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t count = character_bytes(bytes, at);
    text += count == 0 ? "?" : bytes.substr(at, count);
    at += count == 0 ? 1 : count;
  }
  return text;
}

std::string printable_line(const std::string& bytes) {
  std::string text = printable_text(bytes);
  std::replace_if(
      text.begin(), text.end(), [](char byte) { return byte == '\n' || byte == '\t'; }, '?');
  return text;
}

}  // namespace reprise::cli
