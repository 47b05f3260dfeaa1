// SPDX-License-Identifier: Apache-2.0
// Which ops make up which recipe, by definition: sets of ops are put together one pair at a time
// until no rule asks for another. Shares no line with group_ops().
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "tests/profile/random_step.h"

namespace reprise::profile {

class NaiveGroups {
 public:
  NaiveGroups(const RandomStep& step, const std::vector<int>& needed) : step_(step) {
    const std::size_t ops = step.trace.ops.size();
    std::set<int> storages(needed.begin(), needed.end());
    for (std::size_t round = 0; round <= ops; ++round) {
      for (std::size_t op = 0; op < ops; ++op) {
        if (makes_one_of(op, storages)) {
          needed_.insert(op);
          add_storages(step.trace.ops[op].reads, storages);
          add_storages(step.trace.ops[op].writes, storages);
        }
      }
    }
    group_.resize(ops);
    for (std::size_t op = 0; op < ops; ++op) {
      group_[op] = op;
    }
  }

  std::vector<std::vector<int>> find() {
    while (join_one_pair()) {
    }
    std::map<std::size_t, std::vector<int>> groups;  // by the first op
    for (const std::size_t op : needed_) {
      groups[group_[op]].push_back(static_cast<int>(op));
    }
    std::vector<std::vector<int>> list;
    for (const auto& [first, ops] : groups) {
      list.push_back(ops);
    }
    return list;
  }

 private:
  bool is_external(int storage) const {
    return step_.trace.storages[static_cast<std::size_t>(storage)].external;
  }

  bool makes_one_of(std::size_t op, const std::set<int>& storages) const {
    const std::vector<Access>& writes = step_.trace.ops[op].writes;
    return std::any_of(writes.begin(), writes.end(),
                       [&](const Access& write) { return storages.count(write.storage) > 0; });
  }

  void add_storages(const std::vector<Access>& accesses, std::set<int>& storages) const {
    for (const Access& access : accesses) {
      if (!is_external(access.storage)) {
        storages.insert(access.storage);
      }
    }
  }

  bool writes(std::size_t op, int storage) const { return makes_one_of(op, {storage}); }

  bool is_overwritten(const Access& read_access) const {
    const std::vector<Bytes>& versions =
        step_.contents[static_cast<std::size_t>(read_access.storage)];
    return read(versions[static_cast<std::size_t>(read_access.version)], read_access.view) !=
           read(versions.back(), read_access.view);
  }

  // Whether `op` reads what `maker` writes, and whether it has to do so within the same recipe.
  bool needs(std::size_t op, std::size_t maker, bool in_one) const {
    for (const Access& access : step_.trace.ops[op].reads) {
      if (!is_external(access.storage) && writes(maker, access.storage) &&
          (!in_one || is_overwritten(access))) {
        return true;
      }
    }
    return false;
  }

  bool write_one_storage(std::size_t one, std::size_t other) const {
    for (const Access& access : step_.trace.ops[one].writes) {
      if (!is_external(access.storage) && writes(other, access.storage)) {
        return true;
      }
    }
    return false;
  }

  // From group to group, over any number of others.
  bool reaches(std::size_t from, std::size_t to, std::set<std::size_t>& seen) const {
    for (const std::size_t op : needed_) {
      for (const std::size_t maker : needed_) {
        if (group_[op] == from && group_[maker] != from && needs(op, maker, false)) {
          const std::size_t next = group_[maker];
          if (next == to || (seen.insert(next).second && reaches(next, to, seen))) {
            return true;
          }
        }
      }
    }
    return false;
  }

  bool reach_each_other(std::size_t one, std::size_t other) const {
    std::set<std::size_t> seen;
    std::set<std::size_t> seen_back;
    return reaches(one, other, seen) && reaches(other, one, seen_back);
  }

  bool join_one_pair() {
    for (const std::size_t one : needed_) {
      for (const std::size_t other : needed_) {
        const std::size_t first = std::min(group_[one], group_[other]);
        const std::size_t second = std::max(group_[one], group_[other]);
        if (first != second && (write_one_storage(one, other) || needs(one, other, true) ||
                                reach_each_other(first, second))) {
          std::replace(group_.begin(), group_.end(), second, first);
          return true;
        }
      }
    }
    return false;
  }

  const RandomStep& step_;
  std::set<std::size_t> needed_;    // ops
  std::vector<std::size_t> group_;  // per op: the first op of its group
};

}  // namespace reprise::profile
