// SPDX-License-Identifier: Apache-2.0
// What the readers and writers of this layer's formats share: how a file of ours begins.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "reprise/plan/json_document.h"

namespace reprise::plan {

inline constexpr std::int64_t kFormatVersion = 1;

// Throws FormatError unless "format" is `format` and "version" is this one.
void check_header(const JsonField& root, std::string_view format);

// All that is left in `in`. Throws FormatError that begins with `place`.
std::string read_all(std::istream& in, const std::string& place);

}  // namespace reprise::plan
