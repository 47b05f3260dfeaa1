// SPDX-License-Identifier: Apache-2.0
// A row of numbers under range additions that knows its maximum: a segment tree without pushing.
#pragma once

#include <cstdint>
#include <vector>

namespace reprise::plan {

class MaxTree {
 public:
  // `leaves` numbers, all `initial`.
  MaxTree(std::int64_t leaves, std::int64_t initial);

  std::int64_t size() const { return size_; }
  // Largest of all. O(1).
  std::int64_t max() const { return nodes_[1].max; }
  // REQUIRES of all below: 0 <= first <= last < size(). O(log size).
  void add(std::int64_t first, std::int64_t last, std::int64_t amount);
  std::int64_t at(std::int64_t leaf) const;
  std::int64_t max(std::int64_t first, std::int64_t last) const;
  // The first leaf in [first, last] that has their maximum.
  std::int64_t argmax(std::int64_t first, std::int64_t last) const;
  // All leaves above `limit`, ascending; returns the sum of what they are above it. O(found * log
  // size).
  double find_above(std::int64_t limit, std::vector<std::int32_t>& leaves) const;

 private:
  struct Best {
    std::int64_t leaf = -1;
    std::int64_t value = 0;
  };

  struct Node {
    std::int64_t max = 0;      // of its leaves, without what ancestors add
    std::int64_t pending = 0;  // added to all of its leaves
  };

  bool rebuild(std::size_t node);
  void find_best(std::size_t node, std::int64_t node_first, std::int64_t node_last,
                 std::int64_t added, std::int64_t first, std::int64_t last, Best& best) const;
  double find_above(std::size_t node, std::int64_t added, std::int64_t limit,
                    std::vector<std::int32_t>& leaves) const;

  std::int64_t size_;
  std::size_t width_;  // a power of two >= size
  std::vector<Node> nodes_;
};

}  // namespace reprise::plan
