// SPDX-License-Identifier: Apache-2.0
// Classes of neighbouring evicted values and what it costs to rebuild each class: a union-find that
// adds costs up. A member that comes back is subtracted, but the class is not split, which is what
// makes h_DTR^eq cheap and approximate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace reprise::plan::dtr {

class CostClasses {
 public:
  // A new class of one member. Returns the member.
  int add(double cost_us) {
    nodes_.push_back({.parent = static_cast<int>(nodes_.size()), .cost_us = cost_us});
    return static_cast<int>(nodes_.size()) - 1;
  }

  // The member that stands for the class of `member`. Nearly O(1), amortised.
  int find(int member) {
    while (at(member).parent != member) {
      at(member).parent = at(at(member).parent).parent;
      member = at(member).parent;
    }
    return member;
  }

  void unite(int a, int b) {
    a = find(a);
    b = find(b);
    if (a != b) {
      at(b).parent = a;
      at(a).cost_us += at(b).cost_us;
    }
  }

  void subtract(int member, double cost_us) { at(find(member)).cost_us -= cost_us; }

  // Of the whole class that `representative`, a result of find(), stands for.
  double cost_us(int representative) const {
    return nodes_[static_cast<std::size_t>(representative)].cost_us;
  }

 private:
  struct Node {
    int parent = 0;
    double cost_us = 0;  // of the class, if the node stands for one
  };
  Node& at(int member) { return nodes_[static_cast<std::size_t>(member)]; }

  std::vector<Node> nodes_;
};

// What some members' classes cost together, each class once.
class ClassSum {
 public:
  void clear() {
    classes_.clear();
    cost_us_ = 0;
  }
  void add(CostClasses& classes, int member) {
    const int found = classes.find(member);
    if (std::find(classes_.begin(), classes_.end(), found) == classes_.end()) {
      classes_.push_back(found);
      cost_us_ += classes.cost_us(found);
    }
  }
  double cost_us() const { return cost_us_; }

 private:
  std::vector<int> classes_;
  double cost_us_ = 0;
};

}  // namespace reprise::plan::dtr
