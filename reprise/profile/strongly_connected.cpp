// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/strongly_connected.h"

#include <algorithm>
#include <cstddef>

namespace reprise::profile {
namespace {

constexpr int kNone = -1;

class Components {
 public:
  explicit Components(const std::vector<std::vector<int>>& edges)
      : edges_(edges), nodes_(edges.size()) {}

  std::vector<int> find() {
    for (std::size_t start = 0; start < nodes_.size(); ++start) {
      if (nodes_[start].order == kNone) {
        walk(static_cast<int>(start));
      }
    }
    std::vector<int> components;
    components.reserve(nodes_.size());
    for (const Node& node : nodes_) {
      components.push_back(node.component);
    }
    return components;
  }

 private:
  struct Node {
    int order = kNone;   // in which it was entered
    int lowest = kNone;  // the first entered that it is known to reach, of those without component
    int component = kNone;
    std::size_t followed = 0;  // edges
  };

  Node& at(int node) { return nodes_[static_cast<std::size_t>(node)]; }

  void enter(int node) {
    at(node).order = at(node).lowest = entered_++;
    path_.push_back(node);
    open_.push_back(node);
  }

  void walk(int start) {
    enter(start);
    while (!path_.empty()) {
      const int node = path_.back();
      const std::vector<int>& others = edges_[static_cast<std::size_t>(node)];
      if (at(node).followed == others.size()) {
        leave(node);
        continue;
      }
      const int other = others[at(node).followed++];
      if (at(other).order == kNone) {
        enter(other);
      } else if (at(other).component == kNone) {
        at(node).lowest = std::min(at(node).lowest, at(other).order);
      }
    }
  }

  void leave(int node) {
    path_.pop_back();
    if (!path_.empty()) {
      Node& before = at(path_.back());
      before.lowest = std::min(before.lowest, at(node).lowest);
    }
    if (at(node).lowest < at(node).order) {
      return;
    }
    while (at(node).component == kNone) {  // it and all that was entered behind it and is open
      at(open_.back()).component = components_;
      open_.pop_back();
    }
    ++components_;
  }

  const std::vector<std::vector<int>>& edges_;
  std::vector<Node> nodes_;
  std::vector<int> path_;  // from the start to where the walk is
  std::vector<int> open_;  // entered, without component
  int entered_ = 0;
  int components_ = 0;
};

}  // namespace

std::vector<int> strongly_connected(const std::vector<std::vector<int>>& edges) {
  return Components(edges).find();
}

}  // namespace reprise::profile
