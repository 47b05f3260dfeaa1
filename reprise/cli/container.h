// SPDX-License-Identifier: Apache-2.0
// The container of a saved run: named sections under a checksum (docs/file_formats.md).
//
//   "RPRSTATE" | version u32 | sections u32 | payload bytes u64 | payload crc32 u32 | header crc32
//   u32 then per section: name bytes u32 | name | data bytes u64 | data
//
// Numbers are little-endian; the header's checksum covers the 28 bytes before it.
#pragma once

#include <map>
#include <string>

namespace reprise::cli {

using Sections = std::map<std::string, std::string>;

// The same sections give the same bytes.
std::string pack_container(const Sections& sections);

// Throws FormatError("NAME: expected ..., got ...") if `bytes` are not, to the last bit, what
// pack_container() made: foreign, of another version, cut, longer or changed anywhere.
Sections unpack_container(const std::string& bytes, const std::string& name);

// True if `bytes` begin as a container does, whole or damaged.
bool is_container(const std::string& bytes);

}  // namespace reprise::cli
