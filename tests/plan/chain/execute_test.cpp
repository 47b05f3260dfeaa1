// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/execute.h"

#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::plan {
namespace {

using testing::ElementsAre;

constexpr ChainRules two_steps() { return {.steps = 2}; }

ChainRules rules(std::int64_t steps, std::vector<std::int64_t> capacities) {
  return {.steps = steps, .capacities = std::move(capacities)};
}

// What execute() complains about, or "" if it does not.
std::string complaint(const ChainRules& rules, const std::vector<Action>& actions) {
  try {
    execute(rules, actions);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Actions, ReadAsAListOfVerbs) {
  EXPECT_EQ(text({snapshot(0), advance(0, 4), record(4), reverse(4), restore(0), discard(0)}),
            "snapshot 0, advance 0-4, turn 4, restore 0, discard 0");
}

TEST(Actions, NameTheLevelAndTheOptionWhenTheyAreNotTheUsual) {
  EXPECT_EQ(
      text({snapshot(3, 1), record(3, 0, 2), record(4), reverse(3, 0)}),
      "snapshot 3 in level 1, record 3 in level 0 by option 2, record 4, reverse 3 in level 0");
}

TEST(Execute, CountsStepsWritesReadsAndTheMostHeld) {
  const ChainCounts counts =
      execute(rules(3, {2, 1}), {snapshot(0, 1), advance(0, 1), snapshot(1), advance(1, 2),
                                 record(2), reverse(2), restore(1), discard(1), record(1),
                                 reverse(1), restore(0, 1), discard(0, 1), record(0), reverse(0)});

  EXPECT_EQ(counts.forward_steps, 5);
  EXPECT_EQ(counts.advanced_steps, 2);
  EXPECT_THAT(counts.levels, ElementsAre(LevelCounts{.writes = 1, .reads = 1, .most_held = 1},
                                         LevelCounts{.writes = 1, .reads = 1, .most_held = 1}));
}

TEST(Execute, CountsAStoredRecordAsAWriteAndItsReverseAsARead) {
  const ChainCounts counts =
      execute(rules(2, {1}), {record(0, 0), record(1), reverse(1), reverse(0, 0)});

  EXPECT_EQ(counts.forward_steps, 2);
  EXPECT_EQ(counts.advanced_steps, 0);
  EXPECT_THAT(counts.levels, ElementsAre(LevelCounts{.writes = 1, .reads = 1, .most_held = 1}));
}

TEST(Execute, AcceptsAChainWithoutSteps) { EXPECT_EQ(complaint({}, {}), ""); }

TEST(Execute, RejectsAStartFromAnotherStateThanTheLiveOne) {
  EXPECT_EQ(complaint(two_steps(), {advance(1, 2)}),
            "execute: advance 1-2: expected the live state to be its first, got 0");
  EXPECT_NE(complaint(two_steps(), {record(1)}), "");
  EXPECT_NE(complaint(rules(2, {1}), {snapshot(1)}), "");
}

TEST(Execute, RejectsStepsThatAreAlreadyReversed) {
  EXPECT_EQ(complaint(rules(2, {1}), {snapshot(0), advance(0, 1), record(1), reverse(1), restore(0),
                                      advance(0, 2)}),
            "execute: advance 0-2: expected only steps that are still to be reversed, got 2");
}

TEST(Execute, RejectsAReverseThatIsNotTheNext) {
  EXPECT_EQ(complaint(two_steps(), {record(0), reverse(0)}),
            "execute: reverse 0: expected the last step that is still to be reversed, got 0");
}

TEST(Execute, RejectsAReverseWithoutARecord) {
  EXPECT_NE(complaint(two_steps(), {advance(0, 1), reverse(1)}), "");
  EXPECT_NE(complaint(rules(2, {1}), {advance(0, 1), record(1), reverse(1, 0)}), "");
}

TEST(Execute, RejectsASecondRecordInTheWorkingMemory) {
  EXPECT_EQ(complaint(two_steps(), {record(0), record(1)}),
            "execute: record 1: expected no other record in the working memory, got 0");
}

TEST(Execute, RejectsMoreThanALevelHolds) {
  EXPECT_EQ(complaint(rules(3, {1}), {snapshot(0), advance(0, 1), snapshot(1)}),
            "execute: snapshot 1: expected no more than the level's capacity held, got 2");
  EXPECT_NE(complaint(rules(3, {1}), {snapshot(0), record(0, 0)}), "");
}

TEST(Execute, RejectsWhatIsNotThere) {
  EXPECT_NE(complaint(rules(2, {1}), {restore(0)}), "");
  EXPECT_NE(complaint(rules(2, {1}), {discard(0)}), "");
  EXPECT_NE(complaint(rules(2, {1}), {snapshot(0), snapshot(0)}), "");
  EXPECT_NE(complaint(rules(2, {1}), {snapshot(0), restore(0, 1)}), "");
}

TEST(Execute, RejectsAnythingLeftAtTheEnd) {
  EXPECT_EQ(complaint(rules(1, {1}), {}),
            "execute: all steps must be reversed at the end, 1 are left");
  EXPECT_EQ(complaint(rules(1, {1}), {snapshot(0), record(0), reverse(0)}),
            "execute: nothing may be held at the end, but something is");
}

TEST(Execute, LetsARecordStandForItsOutputOnlyIfTheRulesSaySo) {
  const std::vector<Action> actions = {snapshot(0),   record(0, 0),  advance(1, 2), record(2),
                                       reverse(2),    restore(1, 0), record(1),     reverse(1),
                                       reverse(0, 0), discard(0)};
  EXPECT_EQ(complaint(rules(3, {2}), actions),
            "execute: restore 1: expected the state to be held there, got 1");
}

TEST(Execute, NeedsTheStateThatAReversedStepBeganWithInRotorsModel) {
  const ChainRules rotor = {.steps = 2, .capacities = {3}, .record_holds_output = true};

  EXPECT_EQ(complaint(rotor, {snapshot(0), record(0, 0), record(1, 0), reverse(1, 0), reverse(0, 0),
                              discard(0)}),
            "");
  EXPECT_EQ(complaint(rotor, {snapshot(0), record(0, 0), record(1, 0), discard(0), reverse(1, 0),
                              reverse(0, 0)}),
            "execute: reverse 0 in level 0: expected the state it began with to be held, got 0");
}

}  // namespace
}  // namespace reprise::plan
