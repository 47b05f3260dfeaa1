// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/shortened.h"

namespace reprise {
namespace {

constexpr std::size_t kMostBytes = 64;  // of a SHA-256 in hex

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

std::string shortened(std::string_view word) {
  if (word.size() <= kMostBytes) {
    return std::string(word);
  }
  std::size_t end = kMostBytes;
  // A character has at most four bytes: what continues for longer is no UTF-8.
  while (end > kMostBytes - 3 && continues_character(word[end])) {
    --end;
  }
  return std::string(word.substr(0, end)) + "...";
}

std::string in_quotes(std::string_view word) { return "'" + shortened(word) + "'"; }

}  // namespace reprise
