// SPDX-License-Identifier: Apache-2.0
// Maximum flow and minimum cut between two nodes of a network: Dinic's algorithm (E. A. Dinic
// 1970).
#pragma once

#include <cstdint>
#include <vector>

namespace reprise::plan {

class MaxFlow {
 public:
  using Node = std::int32_t;
  using Edge = std::int32_t;

  explicit MaxFlow(Node nodes) : first_edge_(static_cast<std::size_t>(nodes), -1) {}

  static constexpr double kInfinite = 1e300;

  Edge add_edge(Node from, Node to, double capacity);
  // What flows already stays. REQUIRES: not below the edge's flow.
  void set_capacity(Edge edge, double capacity);
  void clear_flow();
  // Adds flow from `source` to `sink` until no path is left, up to a rounding of 1e-12 of the
  // largest finite capacity: where capacities differ by more, it may end before the maximum.
  void maximise(Node source, Node sink);
  // What flows. No cut is below it, maximum or not.
  double flow() const { return flow_; }
  // After maximise(): whether `node` is on the source's side of the minimum cut that is nearest to
  // the source.
  bool is_source_side(Node node) const { return level_[static_cast<std::size_t>(node)] >= 0; }

 private:
  bool find_levels(Node source, Node sink);
  double augment(Node source, Node sink);

  struct Half {
    Node to;
    Edge next;        // of the same node
    double capacity;  // left
  };
  std::vector<Edge> first_edge_;
  std::vector<Half> halves_;        // an edge and its reverse side by side
  std::vector<double> capacities_;  // per edge, as set
  std::vector<std::int32_t> level_;
  std::vector<Edge> current_;
  std::vector<Node> queue_;
  std::vector<Edge> path_;
  double rounding_ = 0;
  double flow_ = 0;
};

}  // namespace reprise::plan
