// SPDX-License-Identifier: Apache-2.0
// A list of what is wrong, so that an expectation over many cases can be a single line.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace reprise::plan {

class Complaints {
 public:
  // What the next complaints are about.
  void set_place(std::string place) { place_ = std::move(place); }
  void unless(bool holds, const std::string& what) {
    if (!holds) {
      list_.push_back(place_ + ": " + what);
    }
  }
  // So many that more would not help.
  bool are_enough() const { return list_.size() > 5; }
  const std::vector<std::string>& list() const { return list_; }

 private:
  std::string place_;
  std::vector<std::string> list_;
};

}  // namespace reprise::plan
