// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/recipe_ops.h"

#include <algorithm>
#include <cstddef>

#include "reprise/profile/strongly_connected.h"

namespace reprise::profile {
namespace {

class Grouping {
 public:
  Grouping(const StepTrace& trace, const StorageWrites& writes)
      : trace_(trace), writes_(writes), is_needed_(trace.ops.size()) {}

  // Ops of no use for what is needed are left out before anything is put together: one that reads a
  // version which is overwritten would join, and cost, each time that the storage is made again.
  void find_needed(std::vector<int> storages) {
    std::vector<char> is_known(trace_.storages.size());
    while (!storages.empty()) {
      const int storage = storages.back();
      storages.pop_back();
      char& known = is_known[static_cast<std::size_t>(storage)];
      if (known != 0 || is_external(storage)) {
        continue;
      }
      known = 1;
      for (const StorageWrite& write : writes_.of(storage)) {
        need(write.op, storages);
      }
    }
  }

  std::vector<std::vector<int>> groups() const {
    const std::vector<int> components = strongly_connected(edges());
    std::vector<std::vector<int>> groups;
    std::vector<std::size_t> group_of(trace_.ops.size(), trace_.ops.size());  // by component
    for (std::size_t op = 0; op < trace_.ops.size(); ++op) {
      if (is_needed_[op] == 0) {
        continue;
      }
      std::size_t& group = group_of[static_cast<std::size_t>(components[op])];
      if (group == trace_.ops.size()) {
        group = groups.size();
        groups.emplace_back();
      }
      groups[group].push_back(static_cast<int>(op));
    }
    return groups;
  }

 private:
  bool is_external(int storage) const {
    return trace_.storages[static_cast<std::size_t>(storage)].external;
  }

  // What a needed op makes besides is a value too, so all that writes it is needed.
  void need(int number, std::vector<int>& storages) {
    char& is_needed = is_needed_[static_cast<std::size_t>(number)];
    if (is_needed != 0) {
      return;
    }
    is_needed = 1;
    const OpTrace& op = trace_.ops[static_cast<std::size_t>(number)];
    for (const std::vector<Access>* accesses : {&op.reads, &op.writes}) {
      for (const Access& access : *accesses) {
        storages.push_back(access.storage);
      }
    }
  }

  // From each op to those that it cannot do without; to and fro where two belong to one recipe. So
  // ops that reach each other are a recipe, whichever of the reasons brought them together.
  std::vector<std::vector<int>> edges() const {
    std::vector<std::vector<int>> edges(trace_.ops.size());
    for (std::size_t op = 0; op < trace_.ops.size(); ++op) {
      if (is_needed_[op] != 0) {
        add_edges(static_cast<int>(op), edges);
      }
    }
    return edges;
  }

  void add_edges(int number, std::vector<std::vector<int>>& edges) const {
    const OpTrace& op = trace_.ops[static_cast<std::size_t>(number)];
    const auto connect = [&](const Access& access, bool is_joined) {
      const int maker = writes_.of(access.storage).front().op;
      edges[static_cast<std::size_t>(number)].push_back(maker);
      if (is_joined) {
        edges[static_cast<std::size_t>(maker)].push_back(number);
      }
    };
    for (const Access& write : op.writes) {
      if (!is_external(write.storage)) {
        connect(write, true);
      }
    }
    for (const Access& read : op.reads) {
      if (!is_external(read.storage) && !writes_storage(op, read.storage)) {
        connect(read, !writes_.outlives_later_writes(read));
      }
    }
  }

  static bool writes_storage(const OpTrace& op, int storage) {
    return std::any_of(op.writes.begin(), op.writes.end(),
                       [&](const Access& write) { return write.storage == storage; });
  }

  const StepTrace& trace_;
  const StorageWrites& writes_;
  std::vector<char> is_needed_;  // per op
};

}  // namespace

std::vector<std::vector<int>> group_ops(const StepTrace& trace, const StorageWrites& writes,
                                        const std::vector<int>& needed) {
  Grouping grouping(trace, writes);
  grouping.find_needed(needed);
  return grouping.groups();
}

}  // namespace reprise::profile
