// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/amounts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/cli/errors.h"

namespace reprise::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::string& text) {
  try {
    parse_budget(text, "--budget");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ParseBytes, TakesUnitsOfTenAndOfTwo) {
  EXPECT_EQ(parse_bytes("123456789"), 123456789);
  EXPECT_EQ(parse_bytes("0"), 0);
  EXPECT_EQ(parse_bytes("7B"), 7);
  EXPECT_EQ(parse_bytes("2kB"), 2000);
  EXPECT_EQ(parse_bytes("2KiB"), 2048);
  EXPECT_EQ(parse_bytes("200MB"), 200000000);
  EXPECT_EQ(parse_bytes("1.5GiB"), 1610612736);
  EXPECT_EQ(parse_bytes("0.5TiB"), 549755813888);
  EXPECT_EQ(parse_bytes("2PB"), 2000000000000000);
  EXPECT_EQ(parse_bytes("1PiB"), 1125899906842624);
  EXPECT_EQ(parse_bytes("0.5EB"), 500000000000000000);
  EXPECT_EQ(parse_bytes("1EiB"), 1152921504606846976);
  EXPECT_EQ(parse_bytes("1152921504606846975"), 1152921504606846975);
}

TEST(ParseBytes, RefusesWhatIsNoAmount) {
  EXPECT_EQ(parse_bytes(""), std::nullopt);
  EXPECT_EQ(parse_bytes("-1"), std::nullopt);
  EXPECT_EQ(parse_bytes("1.5 GiB"), std::nullopt);
  EXPECT_EQ(parse_bytes("GiB"), std::nullopt);
  EXPECT_EQ(parse_bytes("1gib"), std::nullopt);
  EXPECT_EQ(parse_bytes("inf"), std::nullopt);
  EXPECT_EQ(parse_bytes("nan"), std::nullopt);
  EXPECT_EQ(parse_bytes("1e30"), std::nullopt);
  EXPECT_EQ(parse_bytes("2000000TiB"), std::nullopt);
}

TEST(ParseSeconds, TakesUnits) {
  EXPECT_EQ(parse_seconds("10s"), 10);
  EXPECT_EQ(parse_seconds("2.5"), 2.5);
  EXPECT_EQ(parse_seconds("500ms"), 0.5);
  EXPECT_EQ(parse_seconds("2min"), 120);
  EXPECT_EQ(parse_seconds("1h"), 3600);
  EXPECT_EQ(parse_seconds("1day"), std::nullopt);
  EXPECT_EQ(parse_seconds("-1s"), std::nullopt);
}

TEST(ParseBudget, TakesBytesSharesAndTheMinimum) {
  EXPECT_EQ(budget_bytes(parse_budget("1KiB", "--budget"), 5000), 1024);
  EXPECT_EQ(budget_bytes(parse_budget("60%", "--budget"), 5001), 3000);
  EXPECT_EQ(budget_bytes(parse_budget("33.3%", "--budget"), 1000), 333);
  EXPECT_EQ(parse_budget("minimum", "--budget").kind, Budget::Kind::kMinimum);
}

TEST(ParseBudget, RefusesEverythingElseInOneLine) {
  EXPECT_EQ(refusal("half"),
            "--budget: expected bytes (123456789, 200MB, 1.5GiB), a share of the peak with "
            "everything kept (60%) or minimum, got 'half'");
  EXPECT_NE(refusal("-60%"), "accepted");
  EXPECT_NE(refusal("60 %"), "accepted");
  EXPECT_NE(refusal("%"), "accepted");
}

TEST(ParseBudget, RefusesNothingAndMoreThanAll) {
  for (const char* text : {"0", "0.5B", "0%", "100.5%", "101%"}) {
    EXPECT_EQ(refusal(text),
              std::string("--budget: expected bytes above 0, a share in (0%, 100%] or minimum, "
                          "got '") +
                  text + "'");
    EXPECT_EQ(read_budget(text), std::nullopt) << text;
  }
  EXPECT_EQ(refusal("100%"), "accepted");
  EXPECT_EQ(refusal("1"), "accepted");
}

TEST(ParseBudget, SaysOfMoreThanCanBeCountedThatItIsTooLarge) {
  EXPECT_EQ(refusal("1e30"),
            "--budget: expected at most 2^60 bytes (1EiB), got '1e30', which is too large");
  EXPECT_THAT(refusal("10EiB"), HasSubstr("got '10EiB', which is too large"));
  EXPECT_THAT(refusal("9223372036854775807"), HasSubstr("which is too large"));
  EXPECT_EQ(refusal("1EiB"), "accepted");
}

TEST(SplitList, GivesThePartsBetweenTheCommas) {
  EXPECT_THAT(split_list("a,b"), ElementsAre("a", "b"));
  EXPECT_THAT(split_list("a"), ElementsAre("a"));
  EXPECT_THAT(split_list(",b,"), ElementsAre("", "b", ""));
}

}  // namespace
}  // namespace reprise::cli
