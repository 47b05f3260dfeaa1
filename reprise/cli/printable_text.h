// SPDX-License-Identifier: Apache-2.0
// Bytes of unknown origin made fit for a terminal.
#pragma once

#include <string>

namespace reprise::cli {

// Valid UTF-8, line feeds and tabs stay; every other byte (control characters, so that no escape
// sequence gets through, those that set the direction of text, and broken sequences) becomes '?'.
std::string printable_text(const std::string& bytes);

// The same on one line: line feeds and tabs become '?' too.
std::string printable_line(const std::string& bytes);

}  // namespace reprise::cli
