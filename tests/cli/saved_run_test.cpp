// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/saved_run.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/cli/carried_options.h"
#include "reprise/cli/container.h"
#include "reprise/cli/errors.h"
#include "reprise/cli/options.h"
#include "reprise/cli/printable_text.h"
#include "reprise/plan/format_error.h"

namespace reprise::cli {
namespace {

using testing::HasSubstr;

OptionValues train_values(const OptionTexts& given) {
  OptionValues values(command_table(), "train");
  for (const auto& [name, text] : given) {
    values.set(name, text);
  }
  return values;
}

std::string refusal(const OptionTexts& saved, const OptionTexts& given) {
  try {
    check_same_options(saved, train_values(given), "run.state");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

std::string unpack_refusal(const std::string& bytes) {
  try {
    unpack_run(bytes, "run.state");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SavedRun, GivesBackWhatWentIn) {
  const SavedRun run = unpack_run(pack_run({.steps_done = 7,
                                            .loss = 0.1,
                                            .model = "gpt",
                                            .data_crc32 = "cbf43926",
                                            .options = {{"lr", "3e-4"}},
                                            .tensors = std::string("a\0b", 3)}),
                                  "run.state");
  EXPECT_EQ(run.steps_done, 7);
  EXPECT_EQ(run.loss, 0.1);
  EXPECT_EQ(run.model, "gpt");
  EXPECT_EQ(run.data_crc32, "cbf43926");
  EXPECT_EQ(run.options.at("lr"), "3e-4");
  EXPECT_EQ(run.tensors, std::string("a\0b", 3));
}

TEST(SavedRun, KeepsALossThatIsNotANumber) {
  EXPECT_TRUE(std::isnan(unpack_run(pack_run({.loss = std::nan("")}), "run.state").loss));
}

TEST(SavedRun, RefusesAWholeContainerOfSomethingElse) {
  EXPECT_EQ(unpack_refusal(pack_container({{"other", "x"}})),
            "run.state: expected the sections 'run' and 'tensors', got others");
  EXPECT_THAT(unpack_refusal(pack_container({{"run", "no JSON"}, {"tensors", ""}})),
              HasSubstr("run.state: expected the description of a run, got "));
  EXPECT_THAT(unpack_refusal(pack_container({{"run", "{}"}, {"tensors", ""}})),
              HasSubstr("run.state: expected the description of a run, got "));
}

TEST(CarriedOptions, BringWhatTheUserLeftOut) {
  OptionValues values = train_values({{"lr", "0.5"}});
  adopt_options({{"lr", "0.1"}, {"dim", "64"}, {"steps", "30"}, {"layers", ""}}, values);
  EXPECT_EQ(values.text("lr"), "0.5");
  EXPECT_EQ(values.integer("dim"), 64);
  EXPECT_EQ(values.integer("steps"), 30);
  EXPECT_EQ(values.text("layers"), "");
}

TEST(CarriedOptions, LeaveFilesOfOutputToTheCommandLine) {
  OptionValues values = train_values({});
  adopt_options({{"json", "report.json"}, {"save", "other.state"}}, values);
  EXPECT_EQ(values.text("json"), "");
  EXPECT_EQ(values.text("save"), "");
}

TEST(CarriedOptions, RefuseAnotherSizeInOneLine) {
  EXPECT_EQ(refusal({{"dim", "128"}}, {{"dim", "64"}}),
            "--dim: expected 128 as in run.state, got '64'");
}

TEST(CarriedOptions, CompareNumbersAsNumbers) {
  EXPECT_EQ(refusal({{"lr", "3e-4"}}, {{"lr", "0.0003"}}), "accepted");
}

TEST(CarriedOptions, LetStepsAndPolicyChange) {
  EXPECT_EQ(refusal({{"steps", "10"}, {"policy", "none"}}, {{"steps", "20"}, {"policy", "block"}}),
            "accepted");
}

TEST(DataChecksum, IsEmptyWithoutAFile) { EXPECT_EQ(data_crc32(train_values({})), ""); }

TEST(DataChecksum, NamesAFileThatIsNotThere) {
  EXPECT_THROW(data_crc32(train_values({{"text", "/nonexistent/text"}})), FormatError);
}

TEST(PrintableText, KeepsUtf8LinesAndTabs) { EXPECT_EQ(printable_text("a\tb\nµ€😀"), "a\tb\nµ€😀"); }

TEST(PrintableLine, HasNoLineFeedsOrTabs) { EXPECT_EQ(printable_line("a\tb\nµ"), "a?b?µ"); }

TEST(PrintableText, ReplacesControlsAndBrokenSequences) {
  EXPECT_EQ(printable_text("\x1b[31m"), "?[31m");
  EXPECT_EQ(printable_text("a\xe2\x80\xaez"), "a???z");  // U+202E: from right to left
  EXPECT_EQ(printable_text("a\xe2\x81\xa6z"), "a???z");  // U+2066
  EXPECT_EQ(printable_text("\u2029\u202f\u2065\u206a"), "\u2029\u202f\u2065\u206a");
  EXPECT_EQ(printable_text("\xe2\x82"), "??");       // cut
  EXPECT_EQ(printable_text("\xc0\xaf"), "??");       // overlong '/'
  EXPECT_EQ(printable_text("\xed\xa0\x80"), "???");  // a surrogate
  EXPECT_EQ(printable_text("\xc2\x9b"
                           "1m"),
            "??1m");  // a control of eight bits
  EXPECT_EQ(printable_text("\xff"), "?");
}

}  // namespace
}  // namespace reprise::cli
