// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/frontier.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/chain_program.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;

// chain_of_three() with everything kept takes 400 bytes, with its first value rebuilt 300.
const std::vector<Replays> kRebuilt = {{.before_use = 2, .recipes = {0}}};

PlannerRecord record_that_answers(std::unique_ptr<Planner> (*make)()) {
  PlannerRecord record;
  record.name = "scripted";
  record.make = make;
  return record;
}

// Of budgets that nothing fits.
std::vector<std::int64_t> minima(const std::vector<PlanResult>& frontier) {
  std::vector<std::int64_t> bytes;
  for (const PlanResult& result : frontier) {
    bytes.push_back(result.minimum ? result.minimum->budget_bytes : 0);
  }
  return bytes;
}

std::vector<std::string> notes(const std::vector<PlanResult>& frontier) {
  std::vector<std::string> notes;
  for (const PlanResult& result : frontier) {
    notes.push_back(result.note);
  }
  return notes;
}

// Has no time for budgets below 270, and vouches for its minimum, 300, at all others.
class OutOfTimeBelow270 : public Planner {
 public:
  std::optional<PlannerAnswer> find(const Program& /*program*/,
                                    const PlanRequest& request) const override {
    PlannerAnswer answer;
    answer.fits = false;
    answer.is_out_of_time = request.budget_bytes < 270;
    answer.is_minimum = !answer.is_out_of_time;
    if (!answer.is_out_of_time) {
      answer.schedule.replays = kRebuilt;
    }
    return answer;
  }
};

TEST(Frontier, TakesAnAnswerThatRanOutOfTimeForNoMinimum) {
  const PlannerRecord record = record_that_answers(
      []() -> std::unique_ptr<Planner> { return std::make_unique<OutOfTimeBelow270>(); });
  EXPECT_THAT(minima(frontier_of(chain_of_three(), record, {260, 280}, {.wants_bound = false})),
              ElementsAre(300, 300));
}

// Rebuilds a value for budgets above 400, where everything fits and it says so for 400.
class SlowerAbove400 : public Planner {
 public:
  std::optional<PlannerAnswer> find(const Program& /*program*/,
                                    const PlanRequest& request) const override {
    PlannerAnswer answer;
    answer.note = "kept all";
    if (request.budget_bytes > 400) {
      answer.schedule.replays = kRebuilt;
      answer.note = "rebuilt one";
    }
    return answer;
  }
};

TEST(Frontier, GivesAScheduleThatWasFoundForAnotherBudgetTheNoteOfThatBudget) {
  const PlannerRecord record = record_that_answers(
      []() -> std::unique_ptr<Planner> { return std::make_unique<SlowerAbove400>(); });
  EXPECT_THAT(notes(frontier_of(chain_of_three(), record, {410, 400}, {.wants_bound = false})),
              ElementsAre("kept all", "kept all"));
}

}  // namespace
}  // namespace reprise::plan
