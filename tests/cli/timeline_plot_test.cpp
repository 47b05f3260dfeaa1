// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/timeline_plot.h"

#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::cli {
namespace {

using testing::HasSubstr;
using testing::Le;

plan::Slot forward(std::int64_t background_bytes) {
  return {.kind = plan::SlotKind::kForward, .background_bytes = background_bytes};
}

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) {
    longest = std::max(longest, line.size());
  }
  return longest;
}

TEST(TimelinePlot, StacksTheKindsOfBytes) {
  // 16 rows of one KiB each: half background, a quarter kept, an eighth of either of the others.
  const std::string plot = timeline_plot({forward(16 * 1024),
                                          {.kind = plan::SlotKind::kReplay,
                                           .kept_bytes = 4 * 1024,
                                           .recomputed_bytes = 2 * 1024,
                                           .background_bytes = 8 * 1024,
                                           .workspace_bytes = 2 * 1024}},
                                         80);
  EXPECT_EQ(plot,
            "   16.0 KiB |.*\n"
            "            |.*\n"
            "            |.+\n"
            "            |.+\n"
            "            |.#\n"
            "            |.#\n"
            "            |.#\n"
            "            |.#\n"
            "    8.0 KiB |..\n"
            "            |..\n"
            "            |..\n"
            "            |..\n"
            "            |..\n"
            "            |..\n"
            "            |..\n"
            "            |..\n"
            "        0 B +-+\n"
            "             fo\n"
            "             # kept  + recomputed  * workspace  . what no plan controls\n");
}

TEST(TimelinePlot, FitsItsWidthAndShowsTheFullestSlotOfAColumn) {
  std::vector<plan::Slot> timeline(1000, forward(100));
  timeline[500] = forward(1000);
  timeline[999] = {.kind = plan::SlotKind::kUse, .background_bytes = 100};
  const std::string plot = timeline_plot(timeline, 72);
  EXPECT_THAT(longest_line(plot), Le(72));
  EXPECT_THAT(plot, HasSubstr("     1000 B |" + std::string(29, ' ') + ".\n"));
}

TEST(TimelinePlot, NamesForwardAndBackward) {
  std::vector<plan::Slot> timeline(30, forward(1));
  timeline.resize(60, {.kind = plan::SlotKind::kUse, .background_bytes = 1});
  EXPECT_THAT(timeline_plot(timeline, 100),
              HasSubstr("\n             forward" + std::string(23, ' ') + "backward\n"));
}

TEST(TimelinePlot, OfNothingIsEmpty) { EXPECT_EQ(timeline_plot({}, 80), ""); }

}  // namespace
}  // namespace reprise::cli
