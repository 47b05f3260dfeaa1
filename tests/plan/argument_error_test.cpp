// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/argument_error.h"

#include <gtest/gtest.h>

#include "reprise/plan/checks.h"

namespace reprise {
namespace {

TEST(ArgumentError, TellsPlaceExpectationAndValueAndKeepsTheParts) {
  const ArgumentError error("cut", "width", "a multiple of heads (3)", "10");
  EXPECT_STREQ(error.what(), "cut: width must be a multiple of heads (3), got 10");
  EXPECT_EQ(error.name(), "width");
  EXPECT_EQ(error.expectation(), "a multiple of heads (3)");
  EXPECT_EQ(error.value(), "10");
}

TEST(ArgumentError, KeepsItsPartsWhenTheyLookLikeTheWordsBetweenThem) {
  const ArgumentError error("a: b", "c must be d", ", got e", ": f, got g");
  const ArgumentError copy = error;
  EXPECT_EQ(copy.name(), "c must be d");
  EXPECT_EQ(copy.expectation(), ", got e");
  EXPECT_EQ(copy.value(), ": f, got g");
}

TEST(ArgumentError, TellsARemarkBehindTheValue) {
  const ArgumentError error("cut", "knife", "one of: bread, cheese", "chese",
                            "did you mean cheese?");
  EXPECT_STREQ(error.what(),
               "cut: knife must be one of: bread, cheese, got chese: did you mean cheese?");
  EXPECT_EQ(error.value(), "chese");
  EXPECT_EQ(error.remark(), "did you mean cheese?");
  EXPECT_EQ(ArgumentError("cut", "width", "1", "2").remark(), "");
}

TEST(ArgumentError, CutsALongValue) {
  const ArgumentError error("cut", "width", "a number", std::string(100'000, 'w'), "too wide");
  EXPECT_EQ(error.value(), std::string(64, 'w') + "...");
  EXPECT_EQ(error.remark(), "too wide");
}

TEST(RequireSmallSizes, TellsTheAmountThatIsTooMuch) {
  EXPECT_NO_THROW(plan::require_small_sizes("cut", 8, 8, "8 slices"));
  try {
    plan::require_small_sizes("cut", 9, 8, "8 slices");
    FAIL() << "nothing was thrown";
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(error.what(), "cut: sizes must be small enough for at most 8 slices, got 9");
  }
}

}  // namespace
}  // namespace reprise
