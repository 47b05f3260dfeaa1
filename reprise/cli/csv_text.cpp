// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/csv_text.h"

namespace reprise::cli {

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  bool is_first = true;
  for (const std::string& cell : cells) {
    line += is_first ? "" : ",";
    is_first = false;
    if (cell.find_first_of(",\"\r\n") == std::string::npos) {
      line += cell;
      continue;
    }
    line += '"';
    for (const char byte : cell) {
      line += byte == '"' ? "\"\"" : std::string(1, byte);
    }
    line += '"';
  }
  return line + "\n";
}

}  // namespace reprise::cli
