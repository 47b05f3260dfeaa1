// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/plan_report.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/chain_program.h"

namespace reprise::cli {
namespace {

using testing::HasSubstr;

TEST(PlanText, RoundsNoGapToNothingAndLongTimesToSeconds) {
  PlanReport report;
  report.program = plan::chain_of_three();
  report.program.step_us = 2e7;
  report.result.planner = "search";
  report.result.schedule = plan::Schedule();
  report.result.iterations = 1;
  report.result.gap = 0.0004;
  const std::string text = plan_text(report);
  EXPECT_THAT(text, HasSubstr("gap        less than 0.1 points above the fastest plan"));
  EXPECT_THAT(text, HasSubstr(", 1 iteration\n"));
  EXPECT_THAT(text, HasSubstr("  20.0 s  "));
}

}  // namespace
}  // namespace reprise::cli
