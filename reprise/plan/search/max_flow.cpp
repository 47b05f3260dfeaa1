// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/max_flow.h"

#include <algorithm>

#include "reprise/plan/index.h"

namespace reprise::plan {

MaxFlow::Edge MaxFlow::add_edge(Node from, Node to, double capacity) {
  const auto edge = static_cast<Edge>(halves_.size());
  halves_.push_back({to, first_edge_[index(from)], capacity});
  first_edge_[index(from)] = edge;
  halves_.push_back({from, first_edge_[index(to)], 0});
  first_edge_[index(to)] = edge + 1;
  capacities_.push_back(capacity);
  return edge;
}

void MaxFlow::set_capacity(Edge edge, double capacity) {
  // Not a difference of capacities: of a large one a small one would keep no digit.
  halves_[index(edge)].capacity = capacity - halves_[index(edge ^ 1)].capacity;
  capacities_[index(edge / 2)] = capacity;
}

void MaxFlow::clear_flow() {
  flow_ = 0;
  for (std::size_t edge = 0; edge < capacities_.size(); ++edge) {
    halves_[2 * edge].capacity = capacities_[edge];
    halves_[2 * edge + 1].capacity = 0;
  }
}

bool MaxFlow::find_levels(Node source, Node sink) {
  level_.assign(first_edge_.size(), -1);
  level_[index(source)] = 0;
  queue_.assign(1, source);
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    const Node node = queue_[head];
    for (Edge edge = first_edge_[index(node)]; edge >= 0; edge = halves_[index(edge)].next) {
      const Half& half = halves_[index(edge)];
      if (half.capacity > rounding_ && level_[index(half.to)] < 0) {
        level_[index(half.to)] = level_[index(node)] + 1;
        queue_.push_back(half.to);
      }
    }
  }
  return level_[index(sink)] >= 0;
}

// One path from the current edges on; 0 if there is none in this level graph.
double MaxFlow::augment(Node source, Node sink) {
  path_.clear();
  Node node = source;
  while (node != sink) {
    Edge& edge = current_[index(node)];
    while (edge >= 0 && !(halves_[index(edge)].capacity > rounding_ &&
                          level_[index(halves_[index(edge)].to)] == level_[index(node)] + 1)) {
      edge = halves_[index(edge)].next;
    }
    if (edge >= 0) {
      path_.push_back(edge);
      node = halves_[index(edge)].to;
    } else if (path_.empty()) {
      return 0;
    } else {
      node = halves_[index(path_.back() ^ 1)].to;
      path_.pop_back();
      current_[index(node)] = halves_[index(current_[index(node)])].next;
    }
  }
  double flow = kInfinite;
  for (const Edge edge : path_) {
    flow = std::min(flow, halves_[index(edge)].capacity);
  }
  for (const Edge edge : path_) {
    halves_[index(edge)].capacity -= flow;
    halves_[index(edge ^ 1)].capacity += flow;
  }
  return flow;
}

void MaxFlow::maximise(Node source, Node sink) {
  double largest = 0;
  for (const double capacity : capacities_) {
    largest = std::max(largest, capacity < kInfinite ? capacity : 0);
  }
  rounding_ = 1e-12 * largest;
  while (find_levels(source, sink)) {
    current_ = first_edge_;
    double more = augment(source, sink);
    while (more > 0) {
      flow_ += more;
      more = augment(source, sink);
    }
  }
}

}  // namespace reprise::plan
