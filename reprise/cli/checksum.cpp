// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/checksum.h"

#include <iomanip>
#include <sstream>

#include <zlib.h>

namespace reprise::cli {

std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before) {
  if (bytes.empty()) {
    return before;  // zlib takes a null pointer for "begin anew"
  }
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string crc32_text(std::uint32_t crc) {
  std::ostringstream out;
  out << std::hex << std::setw(8) << std::setfill('0') << crc;
  return out.str();
}

}  // namespace reprise::cli
