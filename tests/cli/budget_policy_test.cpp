// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/budget_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/cli/command_line.h"
#include "reprise/cli/errors.h"
#include "reprise/cli/options.h"

namespace reprise::cli {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

OptionValues train_values(std::vector<std::string> words) {
  words.insert(words.begin(), "train");
  return *parse_command_line(command_table(), words).values;
}

TEST(BudgetPolicy, IsNoneOfTheOthers) {
  EXPECT_FALSE(read_budget_policy("none", "--policy"));
  EXPECT_FALSE(read_budget_policy("every=2", "--policy"));
  EXPECT_FALSE(read_budget_policy("budget", "--policy"));
}

TEST(BudgetPolicy, IsAShareBytesTheMinimumOrASchedule) {
  EXPECT_EQ(read_budget_policy("budget=40%", "--policy")->budget->percent, 40);
  EXPECT_EQ(read_budget_policy("budget=2KiB", "--policy")->budget->bytes, 2048);
  EXPECT_EQ(read_budget_policy("budget=minimum", "--policy")->budget->kind, Budget::Kind::kMinimum);
  EXPECT_EQ(read_budget_policy("schedule=a=b.json", "--policy")->schedule_path, "a=b.json");
  EXPECT_FALSE(read_budget_policy("schedule=a=b.json", "--policy")->budget);
}

TEST(BudgetPolicy, RefusesWhatNoStepCouldMeet) {
  for (const char* text : {"budget=0", "budget=0%", "budget=100.5%"}) {
    EXPECT_THAT([&] { read_budget_policy(text, "--compare"); },
                ThrowsMessage<UsageError>(
                    HasSubstr("--compare: expected bytes above 0, a share in (0%, 100%]")));
  }
  EXPECT_THAT([] { read_budget_policy("budget=lots", "--policy"); },
              ThrowsMessage<UsageError>(HasSubstr("--policy: expected bytes")));
  EXPECT_THAT([] { read_budget_policy("schedule=", "--policy"); },
              ThrowsMessage<UsageError>(HasSubstr("--policy: expected schedule=FILE")));
}

TEST(BudgetPolicy, IsWhatTheOptionsSay) {
  OptionValues budget = train_values({"--budget", "40%"});
  set_budget_policy(budget);
  EXPECT_EQ(budget.text("policy"), "budget=40%");
  OptionValues schedule = train_values({"--schedule", "s.json"});
  set_budget_policy(schedule);
  EXPECT_EQ(schedule.text("policy"), "schedule=s.json");
  OptionValues neither = train_values({});
  set_budget_policy(neither);
  EXPECT_EQ(neither.text("policy"), "none");
  EXPECT_FALSE(budget_policy_of(neither));
}

TEST(BudgetPolicy, MayHaveABudgetAndAScheduleToFollow) {
  OptionValues both = train_values({"--budget", "40%", "--schedule", "s.json"});
  set_budget_policy(both);
  EXPECT_EQ(both.text("policy"), "budget=40%");
  EXPECT_EQ(budget_policy_of(both)->budget->percent, 40);
  EXPECT_EQ(budget_policy_of(both)->schedule_path, "s.json");
}

TEST(BudgetPolicy, IsAnOverheadWithoutOrWithABudget) {
  const auto alone = read_budget_policy("overhead=10%", "--policy");
  EXPECT_DOUBLE_EQ(*alone->overhead, .1);
  EXPECT_FALSE(alone->budget);
  const auto both = read_budget_policy("budget=2KiB+overhead=150%", "--policy");
  EXPECT_EQ(both->budget->bytes, 2048);
  EXPECT_DOUBLE_EQ(*both->overhead, 1.5);
  EXPECT_FALSE(read_budget_policy("budget=40%", "--policy")->overhead);
}

TEST(BudgetPolicy, RefusesWhatIsNoOverhead) {
  for (const char* text : {"overhead=", "overhead=10", "overhead=-1%", "budget=40%+overhead=x"}) {
    EXPECT_THAT([&] { read_budget_policy(text, "--compare"); },
                ThrowsMessage<UsageError>(
                    HasSubstr("--compare: expected a share of a plain step's time (10%), got '")));
  }
}

TEST(BudgetPolicy, HasTheOverheadThatTheOptionsSay) {
  OptionValues alone = train_values({"--overhead", "10%"});
  set_budget_policy(alone);
  EXPECT_EQ(alone.text("policy"), "overhead=10%");
  OptionValues both = train_values({"--overhead", "10%", "--budget", "40%"});
  set_budget_policy(both);
  EXPECT_EQ(both.text("policy"), "budget=40%+overhead=10%");
  EXPECT_DOUBLE_EQ(*budget_policy_of(both)->overhead, .1);
  OptionValues refused = train_values({"--overhead", "10%", "--schedule", "s.json"});
  EXPECT_THAT(
      [&] { set_budget_policy(refused); },
      ThrowsMessage<UsageError>(HasSubstr("--overhead: expected without --schedule, got both")));
}

TEST(BudgetPolicy, IsSaidOnce) {
  for (const char* other : {"--policy", "--compare"}) {
    OptionValues budget = train_values({"--budget", "40%", other, "block"});
    EXPECT_THAT([&] { set_budget_policy(budget); },
                ThrowsMessage<UsageError>(
                    HasSubstr("--budget: expected without " + std::string(other) + ", got both")));
    OptionValues schedule = train_values({"--schedule", "s.json", other, "block"});
    EXPECT_THAT([&] { set_budget_policy(schedule); },
                ThrowsMessage<UsageError>(HasSubstr("--schedule: expected without " +
                                                    std::string(other) + ", got both")));
  }
}

}  // namespace
}  // namespace reprise::cli
