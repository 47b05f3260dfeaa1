// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/over_budget.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::plan {
namespace {

using testing::ElementsAre;

// Places 2, 3, 5, 6 and 9 are above 10; the peak is at 5.
OverBudget five_of_ten() {
  MaxTree bytes(10, 0);
  bytes.add(2, 3, 11);
  bytes.add(5, 5, 30);
  bytes.add(6, 6, 12);
  bytes.add(9, 9, 13);
  OverBudget over;
  over.find(bytes, 10);
  return over;
}

TEST(OverBudget, FindsThePlacesAboveTheLimit) {
  const OverBudget over = five_of_ten();
  EXPECT_THAT(over.places(), ElementsAre(2, 3, 5, 6, 9));
  EXPECT_EQ(over.excess_bytes(), 1 + 1 + 20 + 2 + 3);
}

TEST(OverBudget, CountsThoseStrictlyBetweenTwoPlaces) {
  const OverBudget over = five_of_ten();
  EXPECT_EQ(over.between(-1, 9).count, 4);
  EXPECT_EQ(over.between(-1, 10).count, 5);
  EXPECT_EQ(over.between(2, 5).count, 1);
  EXPECT_EQ(over.between(3, 5).count, 0);
  EXPECT_EQ(over.between(6, 9).count, 0);
  EXPECT_EQ(over.between(7, 3).count, 0);
}

TEST(OverBudget, RefersToThePeakIfItLiesBetween) {
  EXPECT_EQ(five_of_ten().between(1, 10).reference, 5);
}

TEST(OverBudget, RefersToTheMiddleOneElse) {
  EXPECT_EQ(five_of_ten().between(1, 5).reference, 3);
  EXPECT_EQ(five_of_ten().between(5, 10).reference, 9);
}

TEST(OverBudget, ForgetsWhatItFoundBefore) {
  OverBudget over = five_of_ten();
  MaxTree bytes(3, 0);
  bytes.add(1, 1, 5);
  over.find(bytes, 4);
  EXPECT_THAT(over.places(), ElementsAre(1));
  EXPECT_EQ(over.excess_bytes(), 1);
  EXPECT_EQ(over.between(0, 2).count, 1);
}

}  // namespace
}  // namespace reprise::plan
