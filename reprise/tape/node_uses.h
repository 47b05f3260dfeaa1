// SPDX-License-Identifier: Apache-2.0
// Under retain_graph nothing tells when a node of the graph ends, but it is over when the next node
// of the same backward unpacks: then the values that it has unpacked are dropped.
#pragma once

#include <cstdint>
#include <memory>

namespace reprise::tape {

// Holds recomputed values for the nodes of a graph: a region, by either mechanism.
class UnpackedValues {
 public:
  virtual ~UnpackedValues() = default;
  // A backward is about to run nodes that unpack the values. Thread-safe, as is everything here.
  virtual void prepare() = 0;
  // The node that has unpacked value `index` is over.
  virtual void drop_value(std::int64_t index) = 0;
};

// The running node is about to unpack a value of `owner`. Drops what other nodes of this backward
// have unpacked on this thread. Does nothing outside of a backward that keeps its graph.
void note_node_use(std::weak_ptr<UnpackedValues> owner, std::int64_t index);

}  // namespace reprise::tape
