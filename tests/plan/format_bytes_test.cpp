// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/format_bytes.h"

#include <limits>

#include <gtest/gtest.h>

namespace reprise {
namespace {

TEST(FormatBytes, TakesTheLargestUnitOfWhichThereIsOne) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_bytes(-2048), "-2.00 KiB");
  EXPECT_EQ(format_bytes(std::numeric_limits<std::int64_t>::max()), "8.00 EiB");
}

TEST(FormatBytes, GivesTheDecimalsThatAreAskedFor) {
  EXPECT_EQ(format_bytes(1536, 1), "1.5 KiB");
  EXPECT_EQ(format_bytes(1536, 0), "2 KiB");
  EXPECT_EQ(format_bytes(1023, 1), "1023 B");
}

TEST(FormatBytes, NeverPrints1024OfAUnit) {
  EXPECT_EQ(format_bytes(1024 * 1024 - 1), "1.00 MiB");
  EXPECT_EQ(format_bytes(1024 * 1024 - 1, 1), "1.0 MiB");
  EXPECT_EQ(format_bytes(1024 * 1024 - 100, 1), "1023.9 KiB");
}

}  // namespace
}  // namespace reprise
