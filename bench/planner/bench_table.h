// SPDX-License-Identifier: Apache-2.0
// A table of results: each row is printed as soon as it is known and kept for the JSON document.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace reprise::bench {

// What one cell shows, and the same for machines.
struct Cell {
  std::string text;
  nlohmann::ordered_json value;
};

Cell words(const std::string& text);
Cell whole(std::int64_t number);
// With `decimals` digits after the point; "-" and null if there is none.
Cell number(std::optional<double> number, int decimals);
// In percent; the value is the ratio.
Cell percent(std::optional<double> ratio, int decimals = 2);
// A limit that a claim is made of, in percent as it is written; "-" and null if none is claimed.
Cell limit(std::optional<double> most);

struct BenchColumn {
  std::string key;    // in the JSON document
  std::string title;  // in the text
  std::size_t width = 8;
};

class BenchTable {
 public:
  // Prints title and head. Columns are right-aligned but for the first.
  BenchTable(std::string name, std::string title, std::vector<BenchColumn> columns);

  // Prints the row: one cell per column. `holds`: whether the claim of the row does; nothing: none
  // is made.
  void add(const std::vector<Cell>& cells, std::optional<bool> holds = {});

  const std::string& name() const { return name_; }
  int missed() const { return missed_; }
  nlohmann::ordered_json json() const;

 private:
  std::string name_;
  std::string title_;
  std::vector<BenchColumn> columns_;
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
  int missed_ = 0;
};

}  // namespace reprise::bench
