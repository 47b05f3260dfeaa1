// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/max_tree.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(MaxTree, StartsWithOneNumberEverywhere) {
  const MaxTree tree(3, 7);
  EXPECT_EQ(tree.size(), 3);
  EXPECT_EQ(tree.max(), 7);
  EXPECT_EQ(tree.at(2), 7);
}

TEST(MaxTree, HasNoMaximumButTheOneOfItsLeavesWhenAllAreNegative) {
  // Three leaves stand in a row of four: the fourth must never be the largest.
  MaxTree tree(3, -5);
  tree.add(0, 1, -10);
  EXPECT_EQ(tree.max(), -5);
  EXPECT_EQ(tree.argmax(0, 2), 2);
}

TEST(MaxTree, AddsToTheBordersOfARangeAndToWhatLiesBetween) {
  MaxTree tree(5, 0);
  tree.add(1, 3, 4);
  EXPECT_THAT((std::vector{tree.at(0), tree.at(1), tree.at(2), tree.at(3), tree.at(4)}),
              ElementsAre(0, 4, 4, 4, 0));
}

TEST(MaxTree, NamesTheFirstOfEqualMaxima) {
  MaxTree tree(8, 0);
  tree.add(2, 2, 9);
  tree.add(6, 6, 9);
  EXPECT_EQ(tree.argmax(0, 7), 2);
  EXPECT_EQ(tree.argmax(3, 7), 6);
  EXPECT_EQ(tree.argmax(3, 5), 3);
}

TEST(MaxTree, ListsWhatIsAboveALimitAndReplacesWhatTheListHeld) {
  MaxTree tree(6, 1);
  tree.add(1, 1, 5);
  tree.add(4, 5, 3);
  std::vector<std::int32_t> leaves = {99};
  tree.find_above(3, leaves);
  EXPECT_THAT(leaves, ElementsAre(1, 4, 5));
  tree.find_above(6, leaves);
  EXPECT_THAT(leaves, IsEmpty());
}

// A tree and a plain vector under the same additions; says where they differ.
class Twins {
 public:
  explicit Twins(unsigned seed) : draw_(seed), row_(number(1, 70), number(-20, 20)) {}

  std::vector<std::string> compare(int additions) {
    MaxTree tree(size(), row_.front());
    check(tree);
    for (int i = 0; i < additions && wrong_.empty(); ++i) {
      const auto [first, last] = range();
      const std::int64_t amount = number(-30, 30);
      tree.add(first, last, amount);
      for (std::int64_t leaf = first; leaf <= last; ++leaf) {
        row_[static_cast<std::size_t>(leaf)] += amount;
      }
      check(tree);
    }
    return wrong_;
  }

 private:
  std::int64_t size() const { return static_cast<std::int64_t>(row_.size()); }

  std::int64_t number(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(draw_);
  }

  std::pair<std::int64_t, std::int64_t> range() {
    const std::int64_t first = number(0, size() - 1);
    return {first, number(first, size() - 1)};
  }

  void unless(bool holds, const std::string& what) {
    if (!holds) {
      wrong_.push_back(what);
    }
  }

  void check(const MaxTree& tree) {
    unless(tree.size() == size(), "size()");
    unless(tree.max() == *std::max_element(row_.begin(), row_.end()), "max()");
    for (std::int64_t leaf = 0; leaf < size(); ++leaf) {
      unless(tree.at(leaf) == row_[static_cast<std::size_t>(leaf)],
             "at(" + std::to_string(leaf) + ")");
    }
    const auto [first, last] = range();
    const auto best = std::max_element(row_.begin() + first, row_.begin() + last + 1);
    const std::string text = "(" + std::to_string(first) + ", " + std::to_string(last) + ")";
    unless(tree.max(first, last) == *best, "max" + text);
    unless(tree.argmax(first, last) == best - row_.begin(), "argmax" + text);
    const std::int64_t limit = *best - number(-1, 20);
    std::vector<std::int32_t> above;
    double excess = 0;
    for (std::int32_t leaf = 0; leaf < size(); ++leaf) {
      if (row_[static_cast<std::size_t>(leaf)] > limit) {
        above.push_back(leaf);
        excess += static_cast<double>(row_[static_cast<std::size_t>(leaf)] - limit);
      }
    }
    std::vector<std::int32_t> found;
    const double found_excess = tree.find_above(limit, found);
    unless(found == above && found_excess == excess, "find_above(" + std::to_string(limit) + ")");
  }

  std::mt19937 draw_;
  std::vector<std::int64_t> row_;
  std::vector<std::string> wrong_;
};

TEST(MaxTree, AgreesWithAPlainRowUnderRandomAdditions) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    EXPECT_THAT(Twins(seed).compare(60), IsEmpty());
  }
}

}  // namespace
}  // namespace reprise::plan
