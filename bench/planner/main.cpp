// SPDX-License-Identifier: Apache-2.0
// The planner in numbers: prints the tables that are named, or all.
//
//   planner [--json FILE] [TABLE...]
//
// The exit status is 1 if a claim is missed.
#include <cstdio>
#include <exception>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/planner/tables.h"

namespace reprise::bench {
namespace {

struct NamedTable {
  std::string name;
  BenchTable (*make)();
};

// In the order in which they are printed.
const std::vector<NamedTable>& all_tables() {
  // `deep` tells the memory of the process, so it comes first.
  static const std::vector<NamedTable> tables = {
      {"deep", deep_table},        {"recorded", recorded_table}, {"others", other_kinds_table},
      {"blocks", per_block_table}, {"minimum", minimum_table},   {"kinds", kinds_table},
      {"tiny", tiny_table},        {"chains", chain_table},      {"planners", frontier_table},
  };
  return tables;
}

void require_table(const std::string& name) {
  std::string known;
  for (const NamedTable& table : all_tables()) {
    if (table.name == name) {
      return;
    }
    known += (known.empty() ? "" : ", ") + table.name;
  }
  throw std::invalid_argument("expected tables of: " + known + "; got " + name);
}

int run(const std::vector<std::string>& words) {
  std::string json_path;
  std::set<std::string> wanted;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--json" && i + 1 < words.size()) {
      json_path = words[++i];
    } else {
      require_table(words[i]);
      wanted.insert(words[i]);
    }
  }
  int missed = 0;
  nlohmann::ordered_json report = {{"format", "reprise.planner_bench"},
                                   {"version", 1},
                                   {"tables", nlohmann::ordered_json::array()}};
  for (const NamedTable& table : all_tables()) {
    if (wanted.empty() || wanted.count(table.name) != 0) {
      const BenchTable made = table.make();
      missed += made.missed();
      report["tables"].push_back(made.json());
    }
  }
  std::printf("\n%s\n", missed == 0 ? "holds: every claim"
                                    : ("MISSED: " + std::to_string(missed) + " claims").c_str());
  if (!json_path.empty()) {
    std::ofstream file(json_path);
    file << report.dump(2) << "\n";
    if (!file.flush()) {
      throw std::runtime_error(json_path + ": cannot be written");
    }
  }
  return missed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace reprise::bench

int main(int count, char** words) {
  try {
    return reprise::bench::run(std::vector<std::string>(words + 1, words + count));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "planner: %s; usage: planner [--json FILE] [TABLE...]\n", error.what());
    return 2;
  }
}
