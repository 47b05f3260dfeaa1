// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/text_table.h"

#include <algorithm>
#include <stdexcept>

namespace reprise::cli {
namespace {

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;  // not a continuation byte
  }));
}

std::string padded(const std::string& text, std::size_t width, bool is_right_aligned) {
  const std::string space(width - width_of(text), ' ');
  return is_right_aligned ? space + text : text + space;
}

std::string without_trailing_space(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string table_text(const std::vector<TextColumn>& columns,
                       const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  widths.reserve(columns.size());
  for (const TextColumn& column : columns) {
    widths.push_back(width_of(column.title));
  }
  for (const std::vector<std::string>& row : rows) {
    if (row.size() != columns.size()) {
      throw std::invalid_argument("table_text: expected " + std::to_string(columns.size()) +
                                  " cells in a row, got " + std::to_string(row.size()));
    }
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], width_of(row[i]));
    }
  }

  std::string titles;
  std::string rule;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string gap = i == 0 ? "" : "  ";
    titles += gap + padded(columns[i].title, widths[i], columns[i].is_right_aligned);
    rule += gap + std::string(widths[i], '-');
  }
  std::string text = without_trailing_space(titles) + rule + "\n";
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += (i == 0 ? "" : "  ") + padded(row[i], widths[i], columns[i].is_right_aligned);
    }
    text += without_trailing_space(line);
  }
  return text;
}

}  // namespace reprise::cli
