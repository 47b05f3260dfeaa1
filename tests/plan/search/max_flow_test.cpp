// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/max_flow.h"

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr MaxFlow::Node kSource = 0;
constexpr MaxFlow::Node kSink = 1;

std::vector<bool> source_side(const MaxFlow& flow, int nodes) {
  std::vector<bool> side;
  for (int node = 0; node < nodes; ++node) {
    side.push_back(flow.is_source_side(node));
  }
  return side;
}

TEST(MaxFlow, CutsAPathAtItsNarrowestEdge) {
  MaxFlow flow(4);
  flow.add_edge(kSource, 2, 5);
  flow.add_edge(2, 3, 2);
  flow.add_edge(3, kSink, 4);
  flow.maximise(kSource, kSink);
  EXPECT_THAT(source_side(flow, 4), ElementsAre(true, false, true, false));
}

TEST(MaxFlow, CutsNearestToTheSourceIfTwoCutsAreEqual) {
  MaxFlow flow(3);
  flow.add_edge(kSource, 2, 5);
  flow.add_edge(2, kSink, 5);
  flow.maximise(kSource, kSink);
  EXPECT_THAT(source_side(flow, 3), ElementsAre(true, false, false));
}

TEST(MaxFlow, LeavesWhatNoEdgeReachesOnTheSinksSide) {
  MaxFlow flow(4);
  flow.add_edge(kSource, 2, 1);
  flow.add_edge(3, kSink, 1);
  flow.maximise(kSource, kSink);
  EXPECT_THAT(source_side(flow, 4), ElementsAre(true, false, true, false));
}

TEST(MaxFlow, TakesBackFlowThatStandsInTheWay) {
  // The widest short path 0-2-3-1 has to give way: 2 flows to the sink directly, 3 from the source.
  MaxFlow flow(4);
  flow.add_edge(kSource, 2, 1);
  flow.add_edge(kSource, 3, 1);
  flow.add_edge(2, 3, 1);
  flow.add_edge(2, kSink, 1);
  flow.add_edge(3, kSink, 1);
  flow.maximise(kSource, kSink);
  EXPECT_THAT(source_side(flow, 4), ElementsAre(true, false, false, false));
}

TEST(MaxFlow, NeverCutsAnInfiniteEdge) {
  MaxFlow flow(4);
  flow.add_edge(kSource, 2, MaxFlow::kInfinite);
  flow.add_edge(2, 3, MaxFlow::kInfinite);
  flow.add_edge(3, kSink, 7);
  flow.maximise(kSource, kSink);
  EXPECT_THAT(source_side(flow, 4), ElementsAre(true, false, true, true));
}

TEST(MaxFlow, GoesOnFromTheFlowItHasWhenACapacityRises) {
  MaxFlow flow(3);
  const MaxFlow::Edge narrow = flow.add_edge(kSource, 2, 1);
  flow.add_edge(2, kSink, 3);
  flow.maximise(kSource, kSink);
  EXPECT_FALSE(flow.is_source_side(2));
  flow.set_capacity(narrow, 4);
  flow.maximise(kSource, kSink);
  EXPECT_TRUE(flow.is_source_side(2));
}

TEST(MaxFlow, SaysWhatFlows) {
  MaxFlow flow(3);
  const MaxFlow::Edge narrow = flow.add_edge(kSource, 2, 1);
  flow.add_edge(2, kSink, 3);
  flow.maximise(kSource, kSink);
  EXPECT_EQ(flow.flow(), 1);
  flow.set_capacity(narrow, 4);
  flow.maximise(kSource, kSink);
  EXPECT_EQ(flow.flow(), 3);
  flow.clear_flow();
  EXPECT_EQ(flow.flow(), 0);
}

TEST(MaxFlow, KeepsTheDigitsOfACapacityThatWasLargeBefore) {
  MaxFlow flow(3);
  const MaxFlow::Edge edge = flow.add_edge(kSource, 2, 1e20);
  flow.add_edge(2, kSink, 100);
  flow.maximise(kSource, kSink);
  flow.clear_flow();
  flow.set_capacity(edge, 7);
  flow.maximise(kSource, kSink);
  EXPECT_EQ(flow.flow(), 7);
}

TEST(MaxFlow, IsAtMostTheMinimumCutWhereCapacitiesDifferByMoreThanItsRounding) {
  MaxFlow flow(4);
  flow.add_edge(kSource, 2, 1e15);
  flow.add_edge(2, kSink, 1e15);
  flow.add_edge(kSource, 3, 1e15);
  flow.add_edge(3, kSink, 1);
  flow.maximise(kSource, kSink);
  EXPECT_EQ(flow.flow(), 1e15);
}

TEST(MaxFlow, StartsAnewAfterTheFlowIsCleared) {
  MaxFlow flow(3);
  const MaxFlow::Edge edge = flow.add_edge(kSource, 2, 4);
  flow.add_edge(2, kSink, 3);
  flow.maximise(kSource, kSink);
  EXPECT_TRUE(flow.is_source_side(2));
  flow.clear_flow();
  flow.set_capacity(edge, 2);
  flow.maximise(kSource, kSink);
  EXPECT_FALSE(flow.is_source_side(2));
}

// A small network with whole capacities, some of them infinite, and all of its cuts.
class Network {
 public:
  explicit Network(unsigned seed) : draw_(seed), nodes_(number(2, 8)), flow_(nodes_) {
    for (int i = number(0, 20); i > 0; --i) {
      Edge edge{.from = number(0, nodes_ - 1), .to = number(0, nodes_ - 1)};
      if (edge.from == edge.to) {
        continue;
      }
      edge.capacity = number(1, 10) == 1 && edge.to != kSink ? MaxFlow::kInfinite : number(0, 9);
      edge.id = flow_.add_edge(edge.from, edge.to, edge.capacity);
      edges_.push_back(edge);
    }
  }

  // What is wrong after maximise(), and after the capacities rose, were lowered, and so on.
  std::vector<std::string> check(int rounds) {
    std::vector<std::string> wrong;
    for (int round = 0; round < rounds; ++round) {
      flow_.maximise(kSource, kSink);
      if (source_side(flow_, nodes_) != nearest_minimum_cut()) {
        wrong.push_back("round " + std::to_string(round) + ": not the nearest minimum cut");
      }
      const bool is_lowered = number(1, 4) == 1;
      if (is_lowered) {
        flow_.clear_flow();
      }
      for (Edge& edge : edges_) {
        if (edge.capacity < MaxFlow::kInfinite) {
          edge.capacity = is_lowered ? number(0, 9) : edge.capacity + number(0, 3);
          flow_.set_capacity(edge.id, edge.capacity);
        }
      }
    }
    return wrong;
  }

 private:
  struct Edge {
    int from = 0;
    int to = 0;
    double capacity = 0;
    MaxFlow::Edge id = 0;
  };

  int number(int least, int most) { return std::uniform_int_distribution(least, most)(draw_); }

  // Of the cheapest sets that have the source and not the sink: their intersection, which is one
  // of them.
  std::vector<bool> nearest_minimum_cut() const {
    double least = std::numeric_limits<double>::infinity();
    unsigned nearest = 0;
    for (unsigned set = 0; set < 1U << nodes_; ++set) {
      if ((set & 1U) == 0 || (set & 2U) != 0) {
        continue;
      }
      double cost = 0;
      for (const Edge& edge : edges_) {
        cost += (set >> edge.from & 1U) != 0 && (set >> edge.to & 1U) == 0 ? edge.capacity : 0;
      }
      nearest = cost < least ? set : cost == least ? nearest & set : nearest;
      least = std::min(least, cost);
    }
    std::vector<bool> side;
    for (int node = 0; node < nodes_; ++node) {
      side.push_back((nearest >> node & 1U) != 0);
    }
    return side;
  }

  std::mt19937 draw_;
  int nodes_;
  MaxFlow flow_;
  std::vector<Edge> edges_;
};

TEST(MaxFlow, FindsTheNearestOfAllMinimumCutsOfRandomNetworks) {
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    EXPECT_THAT(Network(seed).check(6), IsEmpty());
  }
}

}  // namespace
}  // namespace reprise::plan
