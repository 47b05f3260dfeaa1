// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/progress_bar.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::cli {
namespace {

Progress half_way() {
  return {.label = "train",
          .done = 5,
          .total = 10,
          .loss = 2.30261,
          .rate = 1234.4,
          .rate_unit = "tokens/s",
          .peak_bytes = 1536,
          .left_s = 12};
}

TEST(ProgressText, ShowsBarShareLossRateAndPeak) {
  EXPECT_EQ(progress_text(half_way(), 120),
            "train [###############---------------]  50 % 5/10  loss 2.3026  1,234 tokens/s  "
            "peak 1.5 KiB  12 s left");
}

TEST(ProgressText, ShortensTheBarBeforeTheFacts) {
  EXPECT_EQ(progress_text({.label = "a", .done = 1, .total = 2}, 24), "a [#####-----]  50 % 1/2");
}

TEST(ProgressText, IsNeverWiderThanAsked) {
  EXPECT_EQ(progress_text(half_way(), 20).size(), 20);
  EXPECT_EQ(progress_text(half_way(), 0), "");
}

TEST(ProgressText, IsFullAtTheEnd) {
  EXPECT_EQ(progress_text({.done = 2, .total = 2}, 22), "[##########] 100 % 2/2");
}

TEST(ProgressText, LeavesOutCountsThatSayNothing) {
  EXPECT_EQ(progress_text({.done = 1, .total = 2, .hides_counts = true}, 22),
            "[#######-------]  50 %");
}

TEST(ProgressText, TakesAnEmptyTotalForNothingDone) {
  EXPECT_EQ(progress_text({.done = 0, .total = 0}, 22), "[----------]   0 % 0/0");
}

TEST(ProgressBar, RedrawsOneLineOnATerminal) {
  std::ostringstream out;
  ProgressBar bar(out, /*is_terminal=*/true, 60);
  bar.show({.done = 50, .total = 100}, 0);
  bar.show({.done = 2, .total = 2}, 1);
  bar.finish();
  EXPECT_EQ(out.str(),
            "\r[###############---------------]  50 % 50/100"
            "\r[##############################] 100 % 2/2   \n");
}

TEST(ProgressBar, ErasesItsLineOnATerminal) {
  std::ostringstream out;
  ProgressBar bar(out, /*is_terminal=*/true, 22);
  bar.show({.done = 1, .total = 4}, 0);
  bar.erase();
  bar.erase();
  EXPECT_EQ(out.str(), "\r[##--------]  25 % 1/4\r                      \r");
}

TEST(ProgressBar, SkipsWhatComesTooSoonOnATerminal) {
  std::ostringstream out;
  ProgressBar bar(out, /*is_terminal=*/true, 22);
  bar.show({.done = 1, .total = 4}, 0);
  bar.show({.done = 2, .total = 4}, 0.05);
  bar.show({.done = 3, .total = 4}, 0.1);
  EXPECT_EQ(out.str(), "\r[##--------]  25 % 1/4\r[#######---]  75 % 3/4");
}

TEST(ProgressBar, WritesPlainLinesNowAndThenElsewhere) {
  std::ostringstream out;
  ProgressBar bar(out, /*is_terminal=*/false, 24);
  bar.show({.done = 1, .total = 40}, 0);
  bar.show({.done = 4, .total = 40}, 5);     // less than a tenth further
  bar.show({.done = 20, .total = 40}, 0.5);  // less than a second later
  bar.show({.done = 40, .total = 40}, 0.6);  // the last is always shown
  bar.finish();
  EXPECT_EQ(out.str(), "[-----------]   2 % 1/40\n[##########] 100 % 40/40\n");
}

}  // namespace
}  // namespace reprise::cli
