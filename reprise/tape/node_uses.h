// SPDX-License-Identifier: Apache-2.0
// Under retain_graph nothing tells when a node of the graph ends, but it is over when the next node
// of the same backward unpacks: then the values that it has unpacked are dropped.
#pragma once

#include <cstdint>
#include <memory>

#include "reprise/tape/region_values.h"

namespace reprise::tape {

// Whether this thread runs a backward that keeps its graph.
bool keeps_graph();

// The running node is about to unpack a value of `owner`. Drops what other nodes of this backward
// have unpacked on this thread. REQUIRES: keeps_graph().
void note_kept_node_use(std::weak_ptr<RegionValues> owner, std::int64_t index);

// The same; does nothing in any other backward.
template <class Owner>
void note_node_use(Owner& owner, std::int64_t index) {
  if (keeps_graph()) {
    note_kept_node_use(owner.weak_from_this(), index);
  }
}

}  // namespace reprise::tape
