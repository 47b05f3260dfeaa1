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
    {{"train", "Train", "tool train"},
     {"plan", "Plan", "tool plan"},
     {"show", "Show", "tool show page plain"}},
    {{{"train"}, "steps", kInteger, "10", "Steps", "Training", "", {.min = 1}},
     {{"train"}, "lr", kReal, "0.1", "Rate", "Training", "", {.min = 0}},
     {{"train", "plan"}, "json", kText, "", "Report", "Output", "FILE"},
     {{"train"}, "fast", kFlag, "", "Hurry", "Training"},
     {{"show"}, "page", kText, "", "Page", "Files", "PAGE", {}, {}, true},
     {{"show"}, "look", kChoice, "", "Look", "Files", "LOOK", {}, {"plain", "bold"}, true},
     {{"show"}, "with", kText, "", "With", "Files", "NAME=VALUE", {}, {}, false, true},
     {{"plan"}, "page", kText, "", "Page", "Files", "PAGE", {}, {}, true, false, true}}};

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

TEST(CommandLine, TakesTheWordHelpForTheOption) {
  EXPECT_TRUE(parse_command_line(kTable, {"help"}).wants_help);
  EXPECT_EQ(parse_command_line(kTable, {"help"}).command, "");
  EXPECT_TRUE(parse_command_line(kTable, {"help", "show"}).wants_help);
  EXPECT_EQ(parse_command_line(kTable, {"help", "show"}).command, "show");
  EXPECT_EQ(parse_command_line(kTable, {"help", "show", "--help"}).command, "show");
  EXPECT_EQ(refusal({"help", "fly"}),
            "expected a command (train, plan, show; see 'tool --help'), got 'fly'");
  EXPECT_EQ(refusal({"train", "help"}),
            "help: expected only options of 'tool train' (see its --help), got 'help'");
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

TEST(CommandLine, RefusesAValueForAFlag) {
  EXPECT_EQ(refusal({"train", "--fast=no"}), "--fast: expected no value, got one");
}

TEST(CommandLine, NamesTheCommandOfWordsThatItRefuses) {
  EXPECT_EQ(command_of(kTable, {"train", "--stepz"}), "train");
  EXPECT_EQ(command_of(kTable, {"--stepz", "train"}), "");
  EXPECT_EQ(command_of(kTable, {}), "");
}

TEST(CommandLine, TakesOperandsByTheirPosition) {
  const CommandLine line = parse_command_line(kTable, {"show", "--with", "a=1", "p.txt", "bold"});
  EXPECT_EQ(line.values->text("page"), "p.txt");
  EXPECT_EQ(line.values->text("look"), "bold");
}

TEST(CommandLine, RefusesOperandsThatAreMissingTooManyOrWrong) {
  EXPECT_EQ(refusal({"show", "p.txt"}),
            "LOOK: expected one of: plain, bold, got none (see 'tool show --help')");
  EXPECT_EQ(refusal({"show"}), "PAGE: expected a file, got none (see 'tool show --help')");
  EXPECT_EQ(refusal({"show", "p.txt", "bold", "q.txt"}),
            "q.txt: expected no further word but options of 'tool show' (see its --help), got "
            "'q.txt'");
  EXPECT_EQ(refusal({"show", "p.txt", "red"}), "LOOK: expected one of: plain, bold, got 'red'");
}

TEST(CommandLine, KeepsAllValuesOfARepeatableOption) {
  const CommandLine line =
      parse_command_line(kTable, {"show", "p", "bold", "--with", "a=1", "--with", "b=2"});
  EXPECT_THAT(line.values->texts("with"), testing::ElementsAre("a=1", "b=2"));
  EXPECT_THAT(parse_command_line(kTable, {"show", "p", "bold"}).values->texts("with"),
              testing::IsEmpty());
}

TEST(CommandLine, LeavesAnOptionalOperandEmpty) {
  EXPECT_EQ(parse_command_line(kTable, {"plan"}).values->text("page"), "");
  EXPECT_EQ(parse_command_line(kTable, {"plan", "p"}).values->text("page"), "p");
}

TEST(CommandLine, RefusesAMissingValue) {
  EXPECT_EQ(refusal({"train", "--steps"}), "--steps: expected an integer >= 1, got no value");
}

TEST(CommandLine, RefusesAnUnknownCommandOrNone) {
  EXPECT_EQ(refusal({"fly"}),
            "expected a command (train, plan, show; see 'tool --help'), got 'fly'");
  EXPECT_EQ(refusal({}), "expected a command (train, plan, show; see 'tool --help'), got none");
}

}  // namespace
}  // namespace reprise::cli
