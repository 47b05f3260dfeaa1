// SPDX-License-Identifier: Apache-2.0
// A data file that cannot be read, or is not what it should be.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace reprise::zoo {

// "FILE: offset 16: expected 7840 bytes of pixels, got 100": file, place, expectation and value.
class FormatError : public std::runtime_error {
 public:
  FormatError(const std::string& file, const std::string& expected, const std::string& got)
      : std::runtime_error(file + ": expected " + expected + ", got " + got) {}
  FormatError(const std::string& file, std::int64_t offset_bytes, const std::string& expected,
              const std::string& got)
      : std::runtime_error(file + ": offset " + std::to_string(offset_bytes) + ": expected " +
                           expected + ", got " + got) {}
};

}  // namespace reprise::zoo
