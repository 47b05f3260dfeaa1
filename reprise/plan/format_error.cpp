// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/format_error.h"

#include <string_view>

namespace reprise {
namespace {

constexpr std::string_view kSeparator = ": ";

}  // namespace

FormatError::FormatError(const std::string& place, const std::string& what)
    : std::runtime_error(place + std::string(kSeparator) + what), place_bytes_(place.size()) {}

FormatError FormatError::mismatch(const std::string& place, const std::string& expectation,
                                  const std::string& value) {
  return {place, "expected " + expectation + ", got " + value};
}

std::string FormatError::place() const { return std::string(what()).substr(0, place_bytes_); }

std::string FormatError::problem() const {
  return std::string(what()).substr(place_bytes_ + kSeparator.size());
}

std::string place_at_offset(const std::string& file, std::int64_t offset_bytes) {
  return file + ": offset " + std::to_string(offset_bytes);
}

}  // namespace reprise
