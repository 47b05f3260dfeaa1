// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/shortened.h"

#include <string>

#include <gtest/gtest.h>

namespace reprise {
namespace {

TEST(Shortened, LeavesAWordOfSixtyFourBytesAsItIs) {
  EXPECT_EQ(shortened(std::string(64, 'a')), std::string(64, 'a'));
}

TEST(Shortened, CutsALongerOne) {
  EXPECT_EQ(shortened(std::string(65, 'a')), std::string(64, 'a') + "...");
}

TEST(Shortened, CutsBeforeACharacterThatWouldBeCutInTwo) {
  EXPECT_EQ(shortened(std::string(63, 'a') + "\u00E9" + "b"), std::string(63, 'a') + "...");
  EXPECT_EQ(shortened(std::string(61, 'a') + "\U0001F600" + "b"), std::string(61, 'a') + "...");
  EXPECT_EQ(shortened(std::string(60, 'a') + "\U0001F600" + "b"),
            std::string(60, 'a') + "\U0001F600...");
}

TEST(Shortened, CutsBytesThatAreNoCharactersToo) {
  EXPECT_EQ(shortened(std::string(100, '\x80')), std::string(61, '\x80') + "...");
}

TEST(InQuotes, PutsTheWordBetweenQuotes) {
  EXPECT_EQ(in_quotes("magic"), "'magic'");
  EXPECT_EQ(in_quotes(std::string(100'000, 'a')), "'" + std::string(64, 'a') + "...'");
}

}  // namespace
}  // namespace reprise
