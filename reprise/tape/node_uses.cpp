// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/node_uses.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <torch/csrc/autograd/graph_task.h>
#include <torch/csrc/autograd/node.h>

#include "reprise/tape/backward_end.h"

namespace reprise::tape {
namespace {

// What the node under way in one backward has unpacked.
struct NodeUses {
  int backward = kNoBackward;
  std::weak_ptr<void> is_running;  // expires with the backward
  const torch::autograd::Node* node = nullptr;
  std::vector<std::pair<std::weak_ptr<RegionValues>, std::int64_t>> uses = {};

  void drop() {
    for (const auto& [weak_owner, index] : std::exchange(uses, {})) {
      if (const auto owner = weak_owner.lock()) {
        owner->drop_value(index);
      }
    }
  }
};

// The backwards under way on this thread: a node or a hook may run one of its own.
thread_local std::vector<NodeUses> running_backwards;

NodeUses& uses_of_current_backward() {
  // The end of a backward has dropped its values.
  std::erase_if(running_backwards, [](const NodeUses& each) { return each.is_running.expired(); });
  const int backward = current_backward();
  const auto known =
      std::find_if(running_backwards.begin(), running_backwards.end(),
                   [backward](const NodeUses& each) { return each.backward == backward; });
  if (known != running_backwards.end()) {
    return *known;
  }
  const std::shared_ptr<void> is_running = std::make_shared<char>();
  at_end_of_backward([is_running](bool /*has_returned*/) {});
  return running_backwards.emplace_back(NodeUses{.backward = backward, .is_running = is_running});
}

}  // namespace

bool keeps_graph() {
  return current_backward() != kNoBackward && torch::autograd::get_current_graph_task_keep_graph();
}

void note_kept_node_use(std::weak_ptr<RegionValues> owner, std::int64_t index) {
  NodeUses& current = uses_of_current_backward();
  const auto* const node = torch::autograd::get_current_node().get();
  if (current.node != node) {
    current.drop();
    current.node = node;
  }
  current.uses.emplace_back(std::move(owner), index);
}

}  // namespace reprise::tape
