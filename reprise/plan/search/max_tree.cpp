// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/max_tree.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace reprise::plan {
namespace {

// Below every sum, far enough from the end of the range for additions.
constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min() / 2;

}  // namespace

MaxTree::MaxTree(std::int64_t leaves, std::int64_t initial)
    : size_(leaves),
      width_(std::bit_ceil(static_cast<std::size_t>(std::max<std::int64_t>(leaves, 1)))),
      max_(2 * width_, kLowest),
      pending_(width_, 0) {
  std::fill_n(max_.begin() + static_cast<std::ptrdiff_t>(width_), leaves, initial);
  for (std::size_t node = width_ - 1; node > 0; --node) {
    max_[node] = std::max(max_[2 * node], max_[2 * node + 1]);
  }
}

void MaxTree::rebuild(std::size_t leaf) {
  for (std::size_t node = (leaf + width_) / 2; node > 0; node /= 2) {
    max_[node] = std::max(max_[2 * node], max_[2 * node + 1]) + pending_[node];
  }
}

void MaxTree::add(std::int64_t first, std::int64_t last, std::int64_t amount) {
  auto left = static_cast<std::size_t>(first) + width_;
  auto right = static_cast<std::size_t>(last) + width_ + 1;
  const auto apply = [&](std::size_t node) {
    max_[node] += amount;
    if (node < width_) {
      pending_[node] += amount;
    }
  };
  // Both borders climb at once; what lies beside a border on the inside is complete.
  for (; left < right; left /= 2, right /= 2) {
    if (left % 2 == 1) {
      apply(left++);
    }
    if (right % 2 == 1) {
      apply(--right);
    }
  }
  rebuild(static_cast<std::size_t>(first));
  rebuild(static_cast<std::size_t>(last));
}

std::int64_t MaxTree::at(std::int64_t leaf) const {
  std::size_t node = static_cast<std::size_t>(leaf) + width_;
  std::int64_t sum = max_[node];
  for (node /= 2; node > 0; node /= 2) {
    sum += pending_[node];
  }
  return sum;
}

std::int64_t MaxTree::max(std::int64_t first, std::int64_t last) const {
  return at(argmax(first, last));
}

std::int64_t MaxTree::argmax(std::int64_t first, std::int64_t last) const {
  Best best;
  find_best(1, 0, static_cast<std::int64_t>(width_) - 1, 0, first, last, best);
  return best.leaf;
}

// Left before right, and only what can be larger than the best so far.
void MaxTree::find_best(std::size_t node, std::int64_t node_first, std::int64_t node_last,
                        std::int64_t added, std::int64_t first, std::int64_t last,
                        Best& best) const {
  if (last < node_first || node_last < first ||
      (best.leaf >= 0 && max_[node] + added <= best.value)) {
    return;
  }
  if (first <= node_first && node_last <= last) {
    // All of it counts: straight down to its first maximum.
    best.value = max_[node] + added;
    while (node < width_) {
      node = 2 * node + (max_[2 * node] >= max_[2 * node + 1] ? 0 : 1);
    }
    best.leaf = static_cast<std::int64_t>(node - width_);
    return;
  }
  const std::int64_t middle = node_first + (node_last - node_first) / 2;
  find_best(2 * node, node_first, middle, added + pending_[node], first, last, best);
  find_best(2 * node + 1, middle + 1, node_last, added + pending_[node], first, last, best);
}

void MaxTree::find_above(std::int64_t limit, std::vector<std::int32_t>& leaves) const {
  leaves.clear();
  find_above(1, 0, limit, leaves);
}

void MaxTree::find_above(std::size_t node, std::int64_t added, std::int64_t limit,
                         std::vector<std::int32_t>& leaves) const {
  if (max_[node] + added <= limit) {
    return;
  }
  if (node >= width_) {
    leaves.push_back(static_cast<std::int32_t>(node - width_));
    return;
  }
  find_above(2 * node, added + pending_[node], limit, leaves);
  find_above(2 * node + 1, added + pending_[node], limit, leaves);
}

}  // namespace reprise::plan
