// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/format_error.h"

#include <gtest/gtest.h>

namespace reprise {
namespace {

TEST(FormatError, SaysWhereAndWhat) {
  const FormatError error("plan.json: line 3", "expected a ',', got the end");
  EXPECT_STREQ(error.what(), "plan.json: line 3: expected a ',', got the end");
}

TEST(FormatError, GivesPlaceAndProblemAlsoWhereAPlaceHasColons) {
  const FormatError error("plan.json: line 3", "expected a ',', got ':'");
  EXPECT_EQ(error.place(), "plan.json: line 3");
  EXPECT_EQ(error.problem(), "expected a ',', got ':'");
}

TEST(FormatError, OfAMismatchNamesBothSides) {
  EXPECT_STREQ(FormatError::mismatch("$.values[7].bytes", "an integer >= 0", "-1").what(),
               "$.values[7].bytes: expected an integer >= 0, got -1");
}

TEST(FormatError, NamesTheOffsetOfAByte) {
  EXPECT_EQ(place_at_offset("train-images", 16), "train-images: offset 16");
}

}  // namespace
}  // namespace reprise
