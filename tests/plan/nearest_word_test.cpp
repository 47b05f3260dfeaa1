// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/nearest_word.h"

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::plan {
namespace {

using testing::Eq;
using testing::Optional;

const std::vector<std::string> kKnown = {"dtr", "rotor", "block_rotor", "search"};

TEST(NearestWord, IsTheKnownOneWithALetterMissingTooManyOrWrong) {
  EXPECT_THAT(nearest_word("serch", kKnown), Optional(Eq("search")));
  EXPECT_THAT(nearest_word("dtrr", kKnown), Optional(Eq("dtr")));
  EXPECT_THAT(nearest_word("roter", kKnown), Optional(Eq("rotor")));
}

TEST(NearestWord, MayHaveAThirdOfItsLettersWrong) {
  EXPECT_THAT(nearest_word("blockrot", kKnown), Optional(Eq("block_rotor")));
  EXPECT_EQ(nearest_word("sxxxch", kKnown), std::nullopt);
}

TEST(NearestWord, IsTheFirstOfEquallyNearOnes) {
  EXPECT_THAT(nearest_word("bac", {"bad", "bag"}), Optional(Eq("bad")));
}

TEST(NearestWord, IsNoneWhereNothingIsNear) {
  EXPECT_EQ(nearest_word("magic", kKnown), std::nullopt);
  EXPECT_EQ(nearest_word("", kKnown), std::nullopt);
  EXPECT_EQ(nearest_word("search", {}), std::nullopt);
}

}  // namespace
}  // namespace reprise::plan
