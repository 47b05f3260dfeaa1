// SPDX-License-Identifier: Apache-2.0
// What holds on recorded steps for each planner of the table that takes every program. One that is
// added to the table is tested here without another line.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/peak_floor.h"
#include "reprise/plan/planners.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/check_plan.h"
#include "tests/plan/complaints.h"
#include "tests/plan/program_count.h"
#include "tests/plan/recorded_programs.h"

namespace reprise::plan {
namespace {

using testing::IsEmpty;

// Fewer than the planners take by themselves: the contract does not depend on how good a plan is.
constexpr std::int64_t kIterations = 10;

struct Recorded {
  Program program;
  std::int64_t floor_bytes = 0;
  std::int64_t keep_all_bytes = 0;

  std::int64_t budget_at(int percent) const {
    return floor_bytes + (keep_all_bytes - floor_bytes) * percent / 100;
  }
};

Recorded recorded(const std::string& name) {
  Recorded recorded{.program = recorded_program(name)};
  recorded.floor_bytes = peak_floor(recorded.program).bytes;
  recorded.keep_all_bytes = simulate_keep_all(recorded.program).peak_bytes;
  return recorded;
}

class RecordedContract : public testing::TestWithParam<std::string> {
 protected:
  // The complaints of check(recorded, complaints) over the recorded steps.
  template <class Check>
  std::vector<std::string> complaints(const Check& check) const {
    const std::vector<std::string> names =
        kIsOptimised ? std::vector<std::string>{"gpt6", "resnet50", "unet", "lstm300", "gpt24"}
                     : std::vector<std::string>{"gpt6", "unet"};
    Complaints wrong;
    for (const std::string& name : names) {
      wrong.set_place(name);
      check(recorded(name), wrong);
    }
    return wrong.list();
  }

  std::vector<PlanResult> frontier(const Program& program,
                                   const std::vector<std::int64_t>& budgets) const {
    return plan_frontier(program, GetParam(), budgets,
                         {.iterations = kIterations, .wants_bound = false});
  }
};

TEST_P(RecordedContract, PlansFitAndAreMonotoneAndTheSameAgain) {
  EXPECT_THAT(complaints([&](const Recorded& step, Complaints& wrong) {
                const std::vector<std::int64_t> budgets = {step.budget_at(20), step.budget_at(60),
                                                           step.keep_all_bytes};
                const std::vector<PlanResult> results = frontier(step.program, budgets);
                const std::vector<PlanResult> again = frontier(step.program, budgets);
                check_is_monotone(results, wrong);
                for (std::size_t i = 0; i < results.size(); ++i) {
                  check_plan(step.program, results[i], wrong);
                  wrong.unless(results[i].schedule == again[i].schedule, "another plan");
                  wrong.unless(results[i].iterations == again[i].iterations, "another count");
                }
              }),
              IsEmpty());
}

TEST_P(RecordedContract, AMinimumIsNamedBelowTheFloorWithAReasonThatAddsUp) {
  EXPECT_THAT(complaints([&](const Recorded& step, Complaints& wrong) {
                const PlanResult result = frontier(step.program, {step.floor_bytes - 1}).front();
                check_plan(step.program, result, wrong);
                wrong.unless(result.minimum && result.minimum->budget_bytes >= step.floor_bytes,
                             "no minimum, or one below the floor");
              }),
              IsEmpty());
}

TEST_P(RecordedContract, APlannerStopsWhenItsCallerCancels) {
  EXPECT_THAT(complaints([&](const Recorded& step, Complaints& wrong) {
                int calls = 0;
                const PlanResult result = make_plan(step.program, GetParam(),
                                                    {.budget_bytes = step.budget_at(20),
                                                     .wants_bound = false,
                                                     .on_progress = [&](const PlanProgress&) {
                                                       ++calls;
                                                       return false;
                                                     }});
                wrong.unless(calls == 1, "asked " + std::to_string(calls) + " times");
                wrong.unless(result.is_cancelled, "does not say that it was cancelled");
              }),
              IsEmpty());
}

// The others take chains or small programs, and no recorded step is one.
std::vector<std::string> planners_of_every_program() {
  std::vector<std::string> names;
  for (const PlannerRecord& record : planner_records()) {
    if (record.applies == nullptr) {
      names.push_back(record.name);
    }
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(OfTheTable, RecordedContract,
                         testing::ValuesIn(planners_of_every_program()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace reprise::plan
