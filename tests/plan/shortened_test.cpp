// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/shortened.h"

#include <string>

#include <gtest/gtest.h>

namespace reprise {
namespace {

TEST(Shortened, LeavesAWordOfSixtyBytesAsItIs) {
  EXPECT_EQ(shortened(std::string(60, 'a')), std::string(60, 'a'));
}

TEST(Shortened, CutsALongerOne) {
  EXPECT_EQ(shortened(std::string(61, 'a')), std::string(60, 'a') + "...");
}

TEST(Shortened, CutsBeforeACharacterThatWouldBeCutInTwo) {
  EXPECT_EQ(shortened(std::string(59, 'a') + "\u00E9" + "b"), std::string(59, 'a') + "...");
  EXPECT_EQ(shortened(std::string(57, 'a') + "\U0001F600" + "b"), std::string(57, 'a') + "...");
  EXPECT_EQ(shortened(std::string(56, 'a') + "\U0001F600" + "b"),
            std::string(56, 'a') + "\U0001F600...");
}

TEST(Shortened, CutsBytesThatAreNoCharactersToo) {
  EXPECT_EQ(shortened(std::string(100, '\x80')), std::string(57, '\x80') + "...");
}

TEST(InQuotes, PutsTheWordBetweenQuotes) {
  EXPECT_EQ(in_quotes("magic"), "'magic'");
  EXPECT_EQ(in_quotes(std::string(100'000, 'a')), "'" + std::string(60, 'a') + "...'");
}

}  // namespace
}  // namespace reprise
