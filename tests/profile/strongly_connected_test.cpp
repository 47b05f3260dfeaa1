// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/strongly_connected.h"

#include <cstddef>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::profile {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

using Edges = std::vector<std::vector<int>>;

TEST(StronglyConnected, NothingHasNoComponents) { EXPECT_THAT(strongly_connected({}), IsEmpty()); }

TEST(StronglyConnected, NodesInARingAreOneComponentAndReachTheSmallerNumbers) {
  // 0 <-> 1 -> 2 -> 3 -> 2, and 4 by itself.
  EXPECT_THAT(strongly_connected({{1}, {0, 2}, {3}, {2}, {}}), ElementsAre(1, 1, 0, 0, 2));
}

TEST(StronglyConnected, EdgesToOneselfAndTwiceChangeNothing) {
  EXPECT_THAT(strongly_connected({{0, 1, 1}, {1}}), ElementsAre(1, 0));
}

TEST(StronglyConnected, ARingOfAHundredThousandNodesIsOneComponent) {
  constexpr int kNodes = 100'000;
  Edges edges;
  for (int i = 0; i < kNodes; ++i) {
    edges.push_back({(i + 1) % kNodes});
  }
  EXPECT_THAT(strongly_connected(edges), Each(0));
}

TEST(StronglyConnected, ComponentsAreThoseOfMutualReachInRandomGraphs) {
  std::mt19937 random(3);
  for (int run = 0; run < 500; ++run) {
    SCOPED_TRACE(run);
    const std::size_t nodes = std::uniform_int_distribution<std::size_t>(1, 9)(random);
    std::vector<std::vector<char>> reaches(nodes, std::vector<char>(nodes));
    Edges edges(nodes);
    std::uniform_int_distribution<std::size_t> any(0, nodes - 1);
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::size_t from = any(random);
      const std::size_t to = any(random);
      edges[from].push_back(static_cast<int>(to));
      reaches[from][to] = 1;
      reaches[i][i] = 1;
    }
    for (std::size_t via = 0; via < nodes; ++via) {
      for (std::size_t from = 0; from < nodes; ++from) {
        for (std::size_t to = 0; to < nodes; ++to) {
          reaches[from][to] |= static_cast<char>(reaches[from][via] & reaches[via][to]);
        }
      }
    }
    const std::vector<int> components = strongly_connected(edges);
    for (std::size_t from = 0; from < nodes; ++from) {
      for (std::size_t to = 0; to < nodes; ++to) {
        const bool is_mutual = reaches[from][to] != 0 && reaches[to][from] != 0;
        EXPECT_EQ(components[from] == components[to], is_mutual) << from << " and " << to;
        EXPECT_TRUE(reaches[from][to] == 0 || components[from] >= components[to]);
      }
    }
  }
}

}  // namespace
}  // namespace reprise::profile
