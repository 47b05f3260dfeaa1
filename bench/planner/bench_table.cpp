// SPDX-License-Identifier: Apache-2.0
#include "bench/planner/bench_table.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace reprise::bench {
namespace {

std::string fixed(double number, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, number);
  return text;
}

std::string padded(const std::string& text, std::size_t width, bool is_left) {
  const std::string space(width - std::min(width, text.size()), ' ');
  return is_left ? text + space : space + text;
}

}  // namespace

Cell words(const std::string& text) { return {text, text}; }

Cell whole(std::int64_t number) { return {std::to_string(number), number}; }

Cell number(std::optional<double> number, int decimals) {
  return number ? Cell{fixed(*number, decimals), *number} : Cell{"-", nullptr};
}

Cell percent(std::optional<double> ratio, int decimals) {
  return ratio ? Cell{fixed(100 * *ratio, decimals), *ratio} : Cell{"-", nullptr};
}

Cell limit(std::optional<double> most) {
  return most ? Cell{"<= " + fixed(*most, 1), *most} : Cell{"-", nullptr};
}

BenchTable::BenchTable(std::string name, std::string title, std::vector<BenchColumn> columns)
    : name_(std::move(name)), title_(std::move(title)), columns_(std::move(columns)) {
  std::printf("\n%s: %s\n", name_.c_str(), title_.c_str());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::printf("%s%s", i == 0 ? "" : "  ",
                padded(columns_[i].title, columns_[i].width, i == 0).c_str());
  }
  std::printf("\n");
}

void BenchTable::add(const std::vector<Cell>& cells, std::optional<bool> holds) {
  nlohmann::ordered_json row;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::printf("%s%s", i == 0 ? "" : "  ",
                padded(cells[i].text, columns_[i].width, i == 0).c_str());
    row[columns_[i].key] = cells[i].value;
  }
  if (holds) {
    std::printf("  %s", *holds ? "holds" : "MISSED");
    row["holds"] = *holds;
    missed_ += *holds ? 0 : 1;
  }
  std::printf("\n");
  std::fflush(stdout);
  rows_.push_back(std::move(row));
}

nlohmann::ordered_json BenchTable::json() const {
  return {{"name", name_}, {"title", title_}, {"rows", rows_}};
}

}  // namespace reprise::bench
