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
  std::int64_t max() const { return max_[1]; }
  // REQUIRES of all below: 0 <= first <= last < size(). O(log size).
  void add(std::int64_t first, std::int64_t last, std::int64_t amount);
  std::int64_t at(std::int64_t leaf) const;
  std::int64_t max(std::int64_t first, std::int64_t last) const;
  // The first leaf in [first, last] that has their maximum.
  std::int64_t argmax(std::int64_t first, std::int64_t last) const;
  // The first leaf >= `first` above `limit`, or size().
  std::int64_t first_above(std::int64_t first, std::int64_t limit) const;

 private:
  void rebuild(std::size_t leaf);

  std::int64_t size_;
  std::size_t width_;                  // a power of two >= size
  std::vector<std::int64_t> max_;      // per node: of its leaves, without what ancestors add
  std::vector<std::int64_t> pending_;  // per inner node: added to all of its leaves
};

}  // namespace reprise::plan
