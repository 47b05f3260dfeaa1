// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/max_tree.h"

#include <algorithm>
#include <array>
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
  // The complete nodes that make up the range, from left to right, each with what its ancestors
  // add.
  auto left = static_cast<std::size_t>(first) + width_;
  auto right = static_cast<std::size_t>(last) + width_ + 1;
  std::size_t best = 0;
  std::int64_t best_max = 0;
  const auto consider = [&](std::size_t node) {
    std::int64_t value = max_[node];
    for (std::size_t up = node / 2; up > 0; up /= 2) {
      value += pending_[up];
    }
    if (best == 0 || value > best_max) {
      best = node;
      best_max = value;
    }
  };
  std::array<std::size_t, 64> right_nodes{};
  std::size_t right_count = 0;
  for (; left < right; left /= 2, right /= 2) {
    if (left % 2 == 1) {
      consider(left++);
    }
    if (right % 2 == 1) {
      right_nodes[right_count++] = --right;
    }
  }
  while (right_count > 0) {
    consider(right_nodes[--right_count]);
  }
  while (best < width_) {
    best = 2 * best + (max_[2 * best] >= max_[2 * best + 1] ? 0 : 1);
  }
  return static_cast<std::int64_t>(best - width_);
}

std::int64_t MaxTree::first_above(std::int64_t first, std::int64_t limit) const {
  if (first >= size_) {
    return size_;
  }
  // Up from the leaf while the subtree has nothing, right siblings included; then down.
  std::size_t node = static_cast<std::size_t>(first) + width_;
  const auto added_above = [&](std::size_t at_node) {
    std::int64_t sum = 0;
    for (std::size_t up = at_node / 2; up > 0; up /= 2) {
      sum += pending_[up];
    }
    return sum;
  };
  while (max_[node] + added_above(node) <= limit) {
    while (node % 2 == 1) {
      node /= 2;
    }
    if (node == 0) {
      return size_;
    }
    ++node;
  }
  std::int64_t above = added_above(node);
  while (node < width_) {
    above += pending_[node];
    node = 2 * node + (max_[2 * node] + above > limit ? 0 : 1);
  }
  return std::min(static_cast<std::int64_t>(node - width_), size_);
}

}  // namespace reprise::plan
