// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <stdexcept>

#include <gtest/gtest.h>

#include "reprise/cli/csv_text.h"
#include "reprise/cli/number_text.h"
#include "reprise/cli/text_table.h"

namespace reprise::cli {
namespace {

TEST(CsvLine, QuotesWhatWouldReadAsMoreThanOneCell) {
  EXPECT_EQ(csv_line({"a", "", "b c"}), "a,,b c\n");
  EXPECT_EQ(csv_line({"a,b", "say \"hi\"", "two\nlines"}),
            "\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\"\n");
}

TEST(NumberText, WritesBytesInPowersOf1024) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(158662656), "151.3 MiB");
  EXPECT_EQ(bytes_text(-2048), "-2.0 KiB");
  EXPECT_EQ(bytes_text(std::int64_t{5} << 60), "5.0 EiB");
}

TEST(NumberText, GroupsThousands) {
  EXPECT_EQ(grouped_text(999), "999");
  EXPECT_EQ(grouped_text(1234567), "1,234,567");
  EXPECT_EQ(grouped_text(-123456), "-123,456");
}

TEST(NumberText, WritesAnOverheadWithItsSign) {
  EXPECT_EQ(overhead_text(0.284), "+28.4 %");
  EXPECT_EQ(overhead_text(0), "+0.0 %");
  EXPECT_EQ(overhead_text(-0.021), "-2.1 %");
  EXPECT_EQ(overhead_text(std::nullopt), "-");
}

TEST(NumberText, WritesAShareInPerCentAndNoneOfNothing) {
  EXPECT_EQ(share_text(1, 3), "33.3 %");
  EXPECT_EQ(share_text(4, 4), "100.0 %");
  EXPECT_EQ(share_text(1, 0), "-");
}

TEST(NumberText, WritesADurationInTheUnitThatFits) {
  EXPECT_EQ(duration_text(0.85), "850 ms");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(185), "3 min 05 s");
  EXPECT_EQ(duration_text(7800), "2 h 10 min");
}

TEST(TextTable, AlignsWordsLeftAndNumbersRight) {
  EXPECT_EQ(table_text({{"policy", false}, {"peak"}}, {{"none", "151.3"}, {"every=2", "9"}}),
            "policy    peak\n"
            "-------  -----\n"
            "none     151.3\n"
            "every=2      9\n");
}

TEST(TextTable, CountsCharactersInsteadOfBytes) {
  EXPECT_EQ(table_text({{"µs"}, {"n"}}, {{"1", "2"}}),
            "µs  n\n"
            "--  -\n"
            " 1  2\n");
}

TEST(TextTable, RefusesARowOfAnotherWidth) {
  EXPECT_THROW(table_text({{"a"}, {"b"}}, {{"1"}}), std::invalid_argument);
}

}  // namespace
}  // namespace reprise::cli
