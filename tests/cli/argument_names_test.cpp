// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/argument_names.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace reprise::cli {
namespace {

const ArgumentNames kNames = {{"hidden", "--dim"}, {"heads", "--heads"}, {"hid", "wrong"}};

TEST(ArgumentNames, NameTheArgumentAndThoseThatItDependsOn) {
  EXPECT_EQ(message_in(kNames, {"place", "hidden", "a multiple of 2 * heads (6)", "10"}),
            "--dim: expected a multiple of 2 * --heads (6), got '10'");
}

TEST(ArgumentNames, LeaveTheValueAndWhatTheyDoNotKnow) {
  EXPECT_EQ(message_in(kNames, {"place", "depth", "more than hidden_heads", "hidden"}),
            "depth: expected more than hidden_heads, got 'hidden'");
}

TEST(ArgumentNames, LeaveTheRemarkAsItIs) {
  EXPECT_EQ(message_in(kNames, {"place", "hidden", "above 9", "8", "of hidden there are few"}),
            "--dim: expected above 9, got '8': of hidden there are few");
}

TEST(WithNames, PassesResultsAndOtherErrorsOn) {
  EXPECT_EQ(with_names(kNames, [] { return 7; }), 7);
  EXPECT_THROW(with_names(kNames, [] { throw std::invalid_argument("place: other"); }),
               std::invalid_argument);
  EXPECT_THROW(with_names(kNames, [] { throw ArgumentError("place", "hidden", "1", "2"); }),
               UsageError);
}

}  // namespace
}  // namespace reprise::cli
