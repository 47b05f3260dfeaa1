// SPDX-License-Identifier: Apache-2.0
// Words of unknown origin, from a file or a command line, as messages quote them: cut, so that a
// message stays a line whatever was in the file.
#pragma once

#include <string>
#include <string_view>

namespace reprise {

// The word itself, if it has at most 64 bytes, as a hash has; else its beginning and "...". No
// UTF-8 character is cut in two.
std::string shortened(std::string_view word);

// The same between single quotes.
std::string in_quotes(std::string_view word);

}  // namespace reprise
