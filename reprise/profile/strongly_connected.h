// SPDX-License-Identifier: Apache-2.0
// Which nodes of a graph reach each other.
#pragma once

#include <vector>

namespace reprise::profile {

// Per node the number of its strongly connected component: two nodes have the same if and only if
// each reaches the other. A component that reaches another has the larger number.
// `edges`: the nodes that each node leads to. O(nodes + edges), no recursion. Tarjan 1972.
std::vector<int> strongly_connected(const std::vector<std::vector<int>>& edges);

}  // namespace reprise::profile
