// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/option_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/cli/errors.h"
#include "reprise/cli/options.h"

namespace reprise::cli {
namespace {

using enum OptionType;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::Truly;

const OptionRecord kLayers = {{"train"}, "layers", kInteger, "4",
                              "Blocks",  "Model",  "",       {.min = 1, .max = 64}};
const OptionRecord kDropout = {
    {"train"}, "dropout", kReal, "",
    "Share",   "Model",   "",    {.min = 0, .max = 1, .excludes_max = true}};
const OptionRecord kAttention = {{"train"}, "attention", kChoice, "written",          "Kind",
                                 "Model",   "",          {},      {"written", "sdpa"}};
const OptionRecord kFile = {{"plan"}, "json", kText, "", "Report", "Output", "FILE"};
const OptionRecord kFast = {{"train", "plan"}, "fast", kFlag, "", "Hurry", "Output"};

CommandTable small_table() {
  return {"tool",
          {{"train", "Train", "tool train"}, {"plan", "Plan", "tool plan"}},
          {kLayers, kDropout, kAttention, kFile, kFast}};
}

std::string refusal(const OptionRecord& record, const std::string& text) {
  try {
    check_value(record, text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(OptionTable, GivesTheOptionsOfACommandInTheirOrder) {
  EXPECT_THAT(small_table().options_of("plan"),
              ElementsAre(Field(&OptionRecord::name, "json"), Field(&OptionRecord::name, "fast")));
}

TEST(OptionTable, RefusesAnIntegerOutOfItsBounds) {
  EXPECT_EQ(refusal(kLayers, "65"), "--layers: expected an integer in [1, 64], got '65'");
  EXPECT_EQ(refusal(kLayers, "0"), "--layers: expected an integer in [1, 64], got '0'");
}

TEST(OptionTable, RefusesWhatIsNoIntegerToTheLastCharacter) {
  EXPECT_EQ(refusal(kLayers, "4.5"), "--layers: expected an integer in [1, 64], got '4.5'");
  EXPECT_EQ(refusal(kLayers, "4 "), "--layers: expected an integer in [1, 64], got '4 '");
  EXPECT_EQ(refusal(kLayers, ""), "--layers: expected an integer in [1, 64], got ''");
  EXPECT_EQ(refusal(kLayers, "99999999999999999999"),
            "--layers: expected an integer in [1, 64], got '99999999999999999999'");
}

TEST(OptionTable, AcceptsTheBoundsThatAnIntegerMayReach) {
  EXPECT_EQ(refusal(kLayers, "1"), "accepted");
  EXPECT_EQ(refusal(kLayers, "64"), "accepted");
}

TEST(OptionTable, RefusesAnExcludedBoundAndWhatIsNotFinite) {
  EXPECT_EQ(refusal(kDropout, "1"), "--dropout: expected a number in [0, 1), got '1'");
  EXPECT_EQ(refusal(kDropout, "nan"), "--dropout: expected a number in [0, 1), got 'nan'");
  EXPECT_EQ(refusal(kDropout, "0"), "accepted");
  EXPECT_EQ(refusal(kDropout, "1e-3"), "accepted");
}

TEST(OptionTable, NamesTheChoicesWhenItRefusesAnother) {
  EXPECT_EQ(refusal(kAttention, "fast"), "--attention: expected one of: written, sdpa, got 'fast'");
}

TEST(OptionTable, RefusesAnEmptyFileName) {
  EXPECT_EQ(refusal(kFile, ""), "--json: expected FILE, got ''");
}

TEST(OptionValues, StartFromTheDefaults) {
  const OptionValues values(small_table(), "train");
  EXPECT_EQ(values.integer("layers"), 4);
  EXPECT_EQ(values.text("attention"), "written");
  EXPECT_EQ(values.text("dropout"), "");
  EXPECT_FALSE(values.flag("fast"));
  EXPECT_FALSE(values.is_given("layers"));
}

TEST(OptionValues, KeepWhatIsSet) {
  OptionValues values(small_table(), "train");
  values.set("layers", "7");
  values.set("dropout", "0.25");
  values.set("fast", "true");
  EXPECT_EQ(values.integer("layers"), 7);
  EXPECT_EQ(values.real("dropout"), 0.25);
  EXPECT_TRUE(values.flag("fast"));
  EXPECT_TRUE(values.is_given("layers"));
}

TEST(OptionValues, KnowOnlyTheOptionsOfTheirCommand) {
  OptionValues values(small_table(), "train");
  EXPECT_THROW(values.set("json", "x"), UsageError);
  EXPECT_THROW(values.text("json"), UsageError);
}

// The program's own table.

bool has_no_bad_default(const OptionRecord& record) {
  return record.default_text.empty() || refusal(record, record.default_text) == "accepted";
}

TEST(CommandTable, HasNoDefaultThatTheOptionWouldRefuse) {
  EXPECT_THAT(command_table().options, Each(Truly(has_no_bad_default)));
}

TEST(CommandTable, ExplainsEveryOption) {
  EXPECT_THAT(command_table().options, Each(Field(&OptionRecord::help, testing::Not(""))));
  EXPECT_THAT(command_table().options, Each(Field(&OptionRecord::group, testing::Not(""))));
}

}  // namespace
}  // namespace reprise::cli
