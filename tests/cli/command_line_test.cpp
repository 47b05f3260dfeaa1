// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/cli/errors.h"

namespace reprise::cli {
namespace {

using enum OptionType;

const CommandTable kTable = {
    "tool",
    {{"train", "Train", "tool train"}, {"plan", "Plan", "tool plan"}},
    {{{"train"}, "steps", kInteger, "10", "Steps", "Training", "", {.min = 1}},
     {{"train"}, "lr", kReal, "0.1", "Rate", "Training", "", {.min = 0}},
     {{"train", "plan"}, "json", kText, "", "Report", "Output", "FILE"},
     {{"train"}, "fast", kFlag, "", "Hurry", "Training"}}};

std::string refusal(const std::vector<std::string>& words) {
  try {
    parse_command_line(kTable, words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CommandLine, ReadsACommandAndItsOptions) {
  const CommandLine line =
      parse_command_line(kTable, {"train", "--steps", "5", "--lr=0.5", "--fast"});
  EXPECT_EQ(line.command, "train");
  EXPECT_EQ(line.values->integer("steps"), 5);
  EXPECT_EQ(line.values->real("lr"), 0.5);
  EXPECT_TRUE(line.values->flag("fast"));
}

TEST(CommandLine, TakesADashAsAValue) {
  EXPECT_EQ(parse_command_line(kTable, {"plan", "--json", "-"}).values->text("json"), "-");
}

TEST(CommandLine, AsksForHelpOfTheProgramOrOfACommand) {
  EXPECT_TRUE(parse_command_line(kTable, {"--help"}).wants_help);
  EXPECT_EQ(parse_command_line(kTable, {"--help"}).command, "");
  EXPECT_TRUE(parse_command_line(kTable, {"train", "-h"}).wants_help);
  EXPECT_EQ(parse_command_line(kTable, {"train", "-h"}).command, "train");
}

TEST(CommandLine, AsksForTheVersion) {
  EXPECT_TRUE(parse_command_line(kTable, {"--version"}).wants_version);
}

TEST(CommandLine, RefusesAWrongValueInOneLine) {
  EXPECT_EQ(refusal({"train", "--steps", "0"}), "--steps: expected an integer >= 1, got '0'");
  EXPECT_EQ(refusal({"train", "--lr", "-1"}), "--lr: expected a number >= 0, got '-1'");
}

TEST(CommandLine, RefusesAnOptionThatTheCommandDoesNotHave) {
  EXPECT_EQ(refusal({"plan", "--steps", "5"}),
            "--steps: expected an option of 'tool plan' (see its --help), got '--steps'");
}

TEST(CommandLine, RefusesAWordTooMany) {
  EXPECT_EQ(refusal({"train", "fast"}),
            "fast: expected only options of 'tool train' (see its --help), got 'fast'");
}

TEST(CommandLine, RefusesAnOptionGivenTwice) {
  EXPECT_EQ(refusal({"train", "--steps", "5", "--steps", "6"}),
            "--steps: expected at most once, got 2 times");
}

TEST(CommandLine, RefusesAMissingValue) {
  EXPECT_EQ(refusal({"train", "--steps"}), "--steps: expected an integer >= 1, got no value");
}

TEST(CommandLine, RefusesAnUnknownCommandOrNone) {
  EXPECT_EQ(refusal({"fly"}), "expected a command (train, plan), got 'fly'");
  EXPECT_EQ(refusal({}), "expected a command (train, plan), got none");
}

}  // namespace
}  // namespace reprise::cli
