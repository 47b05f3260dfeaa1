// SPDX-License-Identifier: Apache-2.0
// What holds for each planner of the table, over a thousand random programs. A planner that is
// added to the table is tested here without another line.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/generate/chain.h"
#include "reprise/plan/generate/resnet.h"
#include "reprise/plan/generate/transformer.h"
#include "reprise/plan/generate/unet.h"
#include "reprise/plan/peak_floor.h"
#include "reprise/plan/planners.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/check_plan.h"
#include "tests/plan/complaints.h"
#include "tests/plan/program_count.h"
#include "tests/plan/random_program.h"
#include "tests/plan/small_programs.h"

namespace reprise::plan {
namespace {

using testing::IsEmpty;

constexpr unsigned kPrograms = programs(1000);
constexpr double kRounding = 1e-9;

// A random program and some budgets: the floor, keep-all, and three in between.
struct Problem {
  unsigned seed = 0;
  Program program;
  std::int64_t floor_bytes = 0;
  std::vector<std::int64_t> budgets;  // ascending
};

Problem make_problem(unsigned seed) {
  std::mt19937 random(seed);
  Problem problem;
  problem.seed = seed;
  problem.program = random_program(random);
  problem.floor_bytes = peak_floor(problem.program).bytes;
  const std::int64_t range = simulate_keep_all(problem.program).peak_bytes - problem.floor_bytes;
  problem.budgets = {problem.floor_bytes, problem.floor_bytes + range * 15 / 100,
                     problem.floor_bytes + range * 40 / 100, problem.floor_bytes + range * 70 / 100,
                     problem.floor_bytes + range};
  return problem;
}

PlanResult optimum_of(const Problem& problem, std::int64_t budget_bytes) {
  return make_plan(problem.program, "exact", {.budget_bytes = budget_bytes});
}

const std::vector<Problem>& problems() {
  static const std::vector<Problem> all = [] {
    std::vector<Problem> made;
    for (unsigned seed = 1; seed <= kPrograms; ++seed) {
      made.push_back(make_problem(seed));
    }
    return made;
  }();
  return all;
}

// The first few complaints of check(problem, complaints) over the problems that a planner takes.
template <class Check>
std::vector<std::string> complaints(const PlannerRecord& planner, const Check& check) {
  Complaints wrong;
  for (const Problem& problem : problems()) {
    if (planner.applies == nullptr || !planner.applies(problem.program)) {
      wrong.set_place("seed " + std::to_string(problem.seed));
      check(problem, wrong);
    }
    if (wrong.are_enough()) {
      break;
    }
  }
  return wrong.list();
}

// What must hold for an answer whatever the planner.
void check_answer(const Problem& problem, const PlanResult& result, const PlanResult& optimum,
                  bool is_exact, Complaints& wrong) {
  const std::string at = "budget " + std::to_string(result.budget_bytes) + ": ";
  check_plan(problem.program, result, wrong);
  if (result.schedule) {
    wrong.unless(optimum.schedule.has_value(), at + "there is a plan where none can be");
    wrong.unless(result.recompute_us >= optimum.recompute_us - kRounding,
                 at + "the plan beats the optimum");
    wrong.unless(!is_exact || result.recompute_us <= optimum.recompute_us + kRounding,
                 at + "the plan is slower than the optimum");
    wrong.unless(!result.bound_us || *result.bound_us <= optimum.recompute_us + kRounding,
                 at + "the optimum beats the bound");
  }
  if (result.minimum) {
    wrong.unless(!is_exact || !optimum.schedule, at + "there is no plan where one exists");
    wrong.unless(!optimum.minimum || result.minimum->budget_bytes >= optimum.minimum->budget_bytes,
                 at + "the minimum is below what is possible");
  }
}

class EveryPlanner : public testing::TestWithParam<std::string> {
 protected:
  const PlannerRecord& planner() const { return find_planner(GetParam()); }
};

TEST_P(EveryPlanner, GivesAValidPlanThatFitsAndDoesNotBeatTheOptimum) {
  EXPECT_THAT(complaints(planner(),
                         [&](const Problem& problem, Complaints& wrong) {
                           for (std::size_t i = 0; i < problem.budgets.size(); ++i) {
                             check_answer(problem,
                                          make_plan(problem.program, GetParam(),
                                                    {.budget_bytes = problem.budgets[i]}),
                                          optimum_of(problem, problem.budgets[i]),
                                          planner().is_exact, wrong);
                           }
                         }),
              IsEmpty());
}

TEST_P(EveryPlanner, NamesItsMinimumAndTheReasonBelowTheFloor) {
  EXPECT_THAT(complaints(planner(),
                         [&](const Problem& problem, Complaints& wrong) {
                           if (problem.floor_bytes == 0) {
                             return;
                           }
                           const PlanResult result =
                               make_plan(problem.program, GetParam(),
                                         {.budget_bytes = problem.floor_bytes - 1});
                           wrong.unless(result.floor_bytes == problem.floor_bytes, "another floor");
                           wrong.unless(!result.schedule, "a plan below the floor");
                           check_answer(problem, result, optimum_of(problem, problem.floor_bytes),
                                        false, wrong);
                         }),
              IsEmpty());
}

// What is wrong with the minimum that a planner names when it is asked for the floor: budgets below
// it may be met by chance, but none is refused with another one.
void check_minimum(const Program& program, const std::string& planner, Complaints& wrong) {
  const auto plan_within = [&](std::int64_t budget_bytes) {
    return make_plan(program, planner, {.budget_bytes = budget_bytes, .wants_bound = false});
  };
  const std::int64_t floor_bytes = peak_floor(program).bytes;
  const PlanResult lowest = plan_within(floor_bytes);
  check_plan(program, lowest, wrong);
  if (!lowest.minimum) {
    return;
  }
  const std::int64_t minimum_bytes = lowest.minimum->budget_bytes;
  // Some rules only ever add to the peak.
  const std::int64_t more_bytes =
      std::max<std::int64_t>(0, simulate_keep_all(program).peak_bytes - minimum_bytes);
  for (const std::int64_t budget_bytes :
       {minimum_bytes, minimum_bytes + more_bytes / 50, minimum_bytes + more_bytes / 7}) {
    wrong.unless(plan_within(budget_bytes).schedule.has_value(),
                 "no plan within " + std::to_string(budget_bytes));
  }
  for (const std::int64_t budget_bytes :
       {floor_bytes + (minimum_bytes - floor_bytes) / 2, minimum_bytes - 1}) {
    const PlanResult refused = plan_within(budget_bytes);
    check_plan(program, refused, wrong);
    wrong.unless(!refused.minimum || refused.minimum->budget_bytes == minimum_bytes,
                 "another minimum within " + std::to_string(budget_bytes));
  }
}

TEST_P(EveryPlanner, MeetsItsMinimumAndNamesNoOther) {
  EXPECT_THAT(complaints(planner(),
                         [&](const Problem& problem, Complaints& wrong) {
                           check_minimum(problem.program, GetParam(), wrong);
                         }),
              IsEmpty());
}

TEST_P(EveryPlanner, MeetsItsMinimumOfGeneratedPrograms) {
  Complaints wrong;
  for (const Program& program :
       {generate_chain({}), generate_resnet({.layers = 2}), generate_unet({.levels = 2}),
        generate_transformer({.layers = 2, .width = 32, .context = 16})}) {
    if (planner().applies == nullptr || !planner().applies(program)) {
      wrong.set_place(program.name);
      check_minimum(program, GetParam(), wrong);
    }
  }
  EXPECT_THAT(wrong.list(), IsEmpty());
}

TEST_P(EveryPlanner, GivesTheSamePlanAgain) {
  EXPECT_THAT(complaints(planner(),
                         [&](const Problem& problem, Complaints& wrong) {
                           const PlanRequest request{.budget_bytes = problem.budgets[2]};
                           const PlanResult once = make_plan(problem.program, GetParam(), request);
                           const PlanResult again = make_plan(problem.program, GetParam(), request);
                           wrong.unless(once.schedule == again.schedule, "another plan");
                           wrong.unless(once.minimum.has_value() == again.minimum.has_value() &&
                                            (!once.minimum ||
                                             once.minimum->schedule == again.minimum->schedule),
                                        "another minimum");
                           wrong.unless(once.iterations == again.iterations, "another count");
                         }),
              IsEmpty());
}

TEST_P(EveryPlanner, IsMonotoneWithinAFrontier) {
  EXPECT_THAT(complaints(planner(),
                         [&](const Problem& problem, Complaints& wrong) {
                           std::vector<std::int64_t> budgets = problem.budgets;
                           budgets.push_back(problem.floor_bytes + 1);
                           std::sort(budgets.begin(), budgets.end());
                           std::vector<std::int64_t> asked(budgets.rbegin(), budgets.rend());
                           std::vector<PlanResult> frontier =
                               plan_frontier(problem.program, GetParam(), asked, {});
                           std::reverse(frontier.begin(), frontier.end());
                           for (std::size_t i = 0; i < frontier.size(); ++i) {
                             wrong.unless(frontier[i].budget_bytes == budgets[i], "another budget");
                           }
                           check_is_monotone(frontier, wrong);
                         }),
              IsEmpty());
}

TEST_P(EveryPlanner, MeetsItsOwnMinimumWithinAFrontier) {
  EXPECT_THAT(
      complaints(planner(),
                 [&](const Problem& problem, Complaints& wrong) {
                   const PlanResult result = make_plan(problem.program, GetParam(),
                                                       {.budget_bytes = problem.floor_bytes});
                   if (result.minimum) {
                     const std::int64_t minimum_bytes = result.minimum->budget_bytes;
                     const std::vector<PlanResult> frontier = plan_frontier(
                         problem.program, GetParam(), {problem.floor_bytes, minimum_bytes}, {});
                     wrong.unless(frontier[1].schedule.has_value(), "no plan at the minimum");
                   }
                 }),
      IsEmpty());
}

TEST_P(EveryPlanner, StopsWhenItsCallerCancels) {
  EXPECT_THAT(complaints(planner(),
                         [&](const Problem& problem, Complaints& wrong) {
                           int calls = 0;
                           const PlanResult result =
                               make_plan(problem.program, GetParam(),
                                         {.budget_bytes = problem.budgets[1],
                                          .on_progress = [&](const PlanProgress&) {
                                            ++calls;
                                            return false;
                                          }});
                           wrong.unless(calls == 1, "asked " + std::to_string(calls) + " times");
                           wrong.unless(result.is_cancelled, "does not say that it was cancelled");
                         }),
              IsEmpty());
}

// The planner's answer if its caller cancels at the n-th report, and what it had reported then.
struct Cancelled {
  int calls = 0;
  std::int64_t reported_iterations = 0;
  PlanResult result;
};

Cancelled cancel_at(int call, const Program& program, const std::string& planner) {
  const std::int64_t floor_bytes = peak_floor(program).bytes;
  const std::int64_t budget_bytes =
      floor_bytes + (simulate_keep_all(program).peak_bytes - floor_bytes) / 3;
  Cancelled cancelled;
  std::int64_t earlier = 0;
  std::int64_t last = 0;
  cancelled.result = make_plan(program, planner,
                               {.budget_bytes = budget_bytes,
                                .wants_bound = false,
                                .on_progress = [&](const PlanProgress& progress) {
                                  // Asked for the floor too, a planner counts anew.
                                  earlier += progress.iterations < last ? last : 0;
                                  last = progress.iterations;
                                  cancelled.reported_iterations = earlier + last;
                                  return ++cancelled.calls < call;
                                }});
  return cancelled;
}

// Some have 600 recipes; of the last one every subset of the values that are held is a state.
std::vector<Program> large_programs() {
  return {generate_transformer({.layers = 30, .width = 32, .context = 16}),
          generate_chain({.layers = 300, .width = 16, .batch = 32}), held_outputs_program(13)};
}

TEST_P(EveryPlanner, StopsAtOnceAtAnyReportOfALargeProgram) {
  // A step of exact is not worth a question.
  const std::int64_t most_more = planner().is_exact ? 2048 : 1;
  Complaints wrong;
  for (const Program& program : large_programs()) {
    if (planner().applies != nullptr && planner().applies(program)) {
      continue;
    }
    for (const int call : {1, 2, 5, 20}) {
      const Cancelled cancelled = cancel_at(call, program, GetParam());
      wrong.set_place(program.name + ", report " + std::to_string(call));
      check_plan(program, cancelled.result, wrong);
      wrong.unless(cancelled.calls <= call, "goes on after it was cancelled");
      wrong.unless(cancelled.result.is_cancelled == (cancelled.calls == call),
                   "does not say whether it was cancelled");
      wrong.unless(!cancelled.result.is_cancelled ||
                       cancelled.result.iterations <= cancelled.reported_iterations + most_more,
                   "does more after it was cancelled");
    }
  }
  EXPECT_THAT(wrong.list(), IsEmpty());
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const PlannerRecord& record : planner_records()) {
    all.push_back(record.name);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(OfTheTable, EveryPlanner, testing::ValuesIn(names()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace reprise::plan
