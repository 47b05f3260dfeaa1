// SPDX-License-Identifier: Apache-2.0
// A table of text for a terminal: columns as wide as their widest cell, two spaces apart.
#pragma once

#include <string>
#include <vector>

namespace reprise::cli {

struct TextColumn {
  std::string title;
  bool is_right_aligned = true;  // numbers; words read better from the left
};

// The titles, a rule, and the rows. Every row has one cell per column (UTF-8: width is counted in
// code points). Throws std::invalid_argument if a row has another number of cells.
std::string table_text(const std::vector<TextColumn>& columns,
                       const std::vector<std::vector<std::string>>& rows);

}  // namespace reprise::cli
