// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/format_header.h"

#include <istream>
#include <iterator>

#include "reprise/plan/format_error.h"

namespace reprise::plan {

void check_header(const JsonField& root, std::string_view format) {
  root.at("format").require_text(format);
  const JsonField version = root.at("version");
  if (version.integer(0) != kFormatVersion) {
    version.refuse("version " + std::to_string(kFormatVersion));
  }
}

std::string read_all(std::istream& in, const std::string& place) {
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) {
    throw FormatError(place, "cannot be read to its end");
  }
  return bytes;
}

}  // namespace reprise::plan
