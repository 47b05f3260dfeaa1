// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/planners_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::cli {
namespace {

using testing::HasSubstr;

TEST(PlannersCommand, ListsEveryPlannerAndOption) {
  EXPECT_THAT(planners_text(), HasSubstr("keep_all  "));
  EXPECT_THAT(planners_text(), HasSubstr("\n  k  "));
}

}  // namespace
}  // namespace reprise::cli
