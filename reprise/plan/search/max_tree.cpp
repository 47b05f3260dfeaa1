// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/max_tree.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace reprise::plan {
namespace {

// Below every sum, far enough from the end of the range for additions.
constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min() / 2;

}  // namespace

MaxTree::MaxTree(std::int64_t leaves, std::int64_t initial)
    : size_(leaves),
      width_(std::bit_ceil(static_cast<std::size_t>(std::max<std::int64_t>(leaves, 1)))),
      nodes_(2 * width_, {.max = kLowest}) {
  const auto first_leaf = nodes_.begin() + static_cast<std::ptrdiff_t>(width_);
  std::fill(first_leaf, first_leaf + leaves, Node{.max = initial});
  for (std::size_t node = width_ - 1; node > 0; --node) {
    rebuild(node);
  }
}

// Whether the node's maximum changes by it.
bool MaxTree::rebuild(std::size_t node) {
  Node& here = nodes_[node];
  const std::int64_t max = std::max(nodes_[2 * node].max, nodes_[2 * node + 1].max) + here.pending;
  return std::exchange(here.max, max) != max;
}

void MaxTree::add(std::int64_t first, std::int64_t last, std::int64_t amount) {
  auto left = static_cast<std::size_t>(first) + width_;
  auto right = static_cast<std::size_t>(last) + width_;
  const auto apply = [&](std::size_t node) {
    nodes_[node].max += amount;
    nodes_[node].pending += amount;  // of a leaf nobody reads it
  };
  apply(left);
  if (left != right) {
    apply(right);
  }
  // Both borders climb at once. What lies between them below their parents, beside a border on the
  // inside, is complete.
  bool changes = true;
  while (left / 2 != right / 2) {
    if (left % 2 == 0) {
      apply(left + 1);
    }
    if (right % 2 == 1) {
      apply(right - 1);
    }
    left /= 2;
    right /= 2;
    rebuild(left);
    rebuild(right);
  }
  for (left /= 2; left > 0 && changes; left /= 2) {
    changes = rebuild(left);
  }
}

std::int64_t MaxTree::at(std::int64_t leaf) const {
  std::size_t node = static_cast<std::size_t>(leaf) + width_;
  std::int64_t sum = nodes_[node].max;
  for (node /= 2; node > 0; node /= 2) {
    sum += nodes_[node].pending;
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
      (best.leaf >= 0 && nodes_[node].max + added <= best.value)) {
    return;
  }
  if (first <= node_first && node_last <= last) {
    // All of it counts: straight down to its first maximum.
    best.value = nodes_[node].max + added;
    while (node < width_) {
      node = 2 * node + (nodes_[2 * node].max >= nodes_[2 * node + 1].max ? 0 : 1);
    }
    best.leaf = static_cast<std::int64_t>(node - width_);
    return;
  }
  const std::int64_t middle = node_first + (node_last - node_first) / 2;
  find_best(2 * node, node_first, middle, added + nodes_[node].pending, first, last, best);
  find_best(2 * node + 1, middle + 1, node_last, added + nodes_[node].pending, first, last, best);
}

double MaxTree::find_above(std::int64_t limit, std::vector<std::int32_t>& leaves) const {
  leaves.clear();
  return find_above(1, 0, limit, leaves);
}

double MaxTree::find_above(std::size_t node, std::int64_t added, std::int64_t limit,
                           std::vector<std::int32_t>& leaves) const {
  const std::int64_t excess = nodes_[node].max + added - limit;
  if (excess <= 0) {
    return 0;
  }
  if (node >= width_) {
    leaves.push_back(static_cast<std::int32_t>(node - width_));
    return static_cast<double>(excess);
  }
  const std::int64_t inner = added + nodes_[node].pending;
  const double left = find_above(2 * node, inner, limit, leaves);
  return left + find_above(2 * node + 1, inner, limit, leaves);
}

}  // namespace reprise::plan
