// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/exact/exact_planner.h"

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/exact/backward_walk.h"
#include "reprise/plan/exact/small_problem.h"
#include "reprise/plan/planners.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/random_program.h"
#include "tests/plan/small_programs.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

// A training graph of the literature: forward nodes 0..n-1, a loss, then one gradient node per
// forward node, which reads its value and the gradient before it. Everything counts, also
// gradients.
struct TrainingGraph {
  std::vector<std::vector<int>> reads;  // per forward node
  std::vector<double> cost;             // per forward node
  std::vector<std::int64_t> bytes;
  std::vector<std::int64_t> gradient_bytes;  // of the loss, then of each gradient node
  double other_cost = 0;                     // of the loss and the gradient nodes
};

Program program_of(const TrainingGraph& graph) {
  const int nodes = static_cast<int>(graph.reads.size());
  Program program;
  program.values.resize(graph.reads.size());
  program.recipes.resize(graph.reads.size());
  for (int i = 0; i < nodes; ++i) {
    const auto at = static_cast<std::size_t>(i);
    program.values[at].bytes = graph.bytes[at];
    program.values[at].made_at = i;
    program.values[at].released_at = i == nodes - 1 ? nodes : i;
    program.values[at].recipe = i;
    for (const int input : graph.reads[at]) {
      program.values[static_cast<std::size_t>(input)].released_at = i;
    }
    program.recipes[at].name = "forward";
    program.recipes[at].inputs = graph.reads[at];
    program.recipes[at].outputs = {i};
    program.recipes[at].cost_us = graph.cost[at];
  }
  // Ops 0..n-1 and the loss; one more op, so that no value is held to the end.
  for (int op = 0; op <= nodes; ++op) {
    std::int64_t bytes = op == nodes ? graph.gradient_bytes[0] : 0;
    for (const Value& value : program.values) {
      bytes += value.made_at <= op && op <= value.released_at ? value.bytes : 0;
    }
    program.forward_peak_bytes.push_back(bytes);
  }
  for (int i = nodes - 1; i >= 0; --i) {
    const auto step = static_cast<std::size_t>(nodes - 1 - i);
    Use use;
    use.name = "gradient";
    use.needs = {i};
    use.background_bytes.replaying = graph.gradient_bytes[step];
    use.background_bytes.running = graph.gradient_bytes[step] + graph.gradient_bytes[step + 1];
    use.background_bytes.after = graph.gradient_bytes[step + 1];
    program.uses.push_back(use);
  }
  program.step_us = graph.other_cost;
  for (const double cost : graph.cost) {
    program.step_us += cost;
  }
  return program;
}

TrainingGraph unit_graph(int nodes) {
  const auto count = static_cast<std::size_t>(nodes);
  TrainingGraph graph{.reads = std::vector<std::vector<int>>(count),
                      .cost = std::vector<double>(count, 1),
                      .bytes = std::vector<std::int64_t>(count, 1),
                      .gradient_bytes = std::vector<std::int64_t>(count + 1, 1),
                      .other_cost = nodes + 1.0};
  for (int i = 1; i < nodes; ++i) {
    graph.reads[static_cast<std::size_t>(i)] = {i - 1};
  }
  return graph;
}

TrainingGraph residual_graph(int nodes) {
  TrainingGraph graph = unit_graph(nodes);
  for (int i = 2; i < nodes; ++i) {
    graph.reads[static_cast<std::size_t>(i)].push_back(i - 2);
  }
  return graph;
}

TrainingGraph unet_graph(int nodes) {
  TrainingGraph graph = unit_graph(nodes);
  for (int i = 0; i < nodes / 2 - 1; ++i) {
    graph.reads[static_cast<std::size_t>(nodes - 1 - i)].push_back(i);
  }
  return graph;
}

// Per budget at which the step gets cheaper: what the step costs, replays included.
std::map<std::int64_t, double> frontier_of(const TrainingGraph& graph) {
  const Program program = program_of(graph);
  const std::int64_t most = simulate_keep_all(program).peak_bytes;
  std::map<std::int64_t, double> frontier;
  double last = std::numeric_limits<double>::infinity();
  for (std::int64_t budget_bytes = 0; budget_bytes <= most; ++budget_bytes) {
    const PlanResult result = make_plan(program, "exact", {.budget_bytes = budget_bytes});
    if (result.schedule && program.step_us + result.recompute_us < last) {
      last = program.step_us + result.recompute_us;
      frontier[budget_bytes] = last;
    }
  }
  return frontier;
}

// Optima that a search over sets of values in memory found, without the notion of a forward pass.
TEST(Exact, FindsThePublishedOptimaOfLinearGraphs) {
  EXPECT_THAT(frontier_of(unit_graph(2)), ElementsAre(Pair(3, 6), Pair(4, 5)));
  EXPECT_THAT(frontier_of(unit_graph(4)),
              ElementsAre(Pair(3, 15), Pair(4, 11), Pair(5, 10), Pair(6, 9)));
  EXPECT_THAT(frontier_of(unit_graph(6)), ElementsAre(Pair(3, 28), Pair(4, 18), Pair(5, 16),
                                                      Pair(6, 15), Pair(7, 14), Pair(8, 13)));
  EXPECT_THAT(frontier_of(unit_graph(8)),
              ElementsAre(Pair(3, 45), Pair(4, 26), Pair(5, 22), Pair(6, 21), Pair(7, 20),
                          Pair(8, 19), Pair(9, 18), Pair(10, 17)));
}

TEST(Exact, FindsThePublishedOptimaOfResidualGraphs) {
  EXPECT_THAT(frontier_of(residual_graph(4)), ElementsAre(Pair(4, 11), Pair(5, 10), Pair(6, 9)));
  EXPECT_THAT(frontier_of(residual_graph(6)),
              ElementsAre(Pair(4, 19), Pair(5, 16), Pair(6, 15), Pair(7, 14), Pair(8, 13)));
  EXPECT_THAT(frontier_of(residual_graph(7)), ElementsAre(Pair(4, 24), Pair(5, 19), Pair(6, 18),
                                                          Pair(7, 17), Pair(8, 16), Pair(9, 15)));
}

// At 4 bytes the published optimum of 8 nodes (29) rebuilds skips during the forward pass, which a
// schedule cannot.
TEST(Exact, FindsThePublishedOptimaOfGraphsWithSkips) {
  EXPECT_THAT(frontier_of(unet_graph(6)),
              ElementsAre(Pair(4, 19), Pair(5, 16), Pair(6, 15), Pair(7, 14), Pair(8, 13)));
  EXPECT_THAT(frontier_of(unet_graph(8)), ElementsAre(Pair(5, 23), Pair(6, 21), Pair(7, 20),
                                                      Pair(8, 19), Pair(9, 18), Pair(10, 17)));
}

TEST(Exact, FindsThePublishedOptimaOfAGraphOfUnequalNodes) {
  TrainingGraph graph = unit_graph(5);
  graph.cost = {3, 1, 4, 1, 5};
  graph.other_cost = 1 + 2 * (3 + 1 + 4 + 1 + 5);
  graph.bytes = {4, 1, 3, 2, 2};
  graph.gradient_bytes = {1, 2, 3, 1, 4, 1};
  EXPECT_THAT(frontier_of(graph),
              ElementsAre(Pair(9, 50), Pair(10, 47), Pair(11, 46), Pair(14, 44), Pair(15, 43)));
}

// Every schedule of at most `most_replays` replays, judged one by one.
class BruteForce {
 public:
  BruteForce(const Program& program, int most_replays) : program_(program) {
    lists_.resize(program.uses.size());
    extend(0, most_replays);
  }

  // The least recompute time within each peak that occurs.
  const std::map<std::int64_t, double>& frontier() const { return frontier_; }

  double least_us(std::int64_t budget_bytes) const {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [peak_bytes, us] : frontier_) {
      least = peak_bytes <= budget_bytes ? std::min(least, us) : least;
    }
    return least;
  }
  std::int64_t least_peak() const { return frontier_.begin()->first; }

 private:
  void extend(std::size_t first_use, int most_replays) {
    judge();
    for (std::size_t use = first_use; use < lists_.size() && most_replays > 0; ++use) {
      for (std::size_t recipe = 0; recipe < program_.recipes.size(); ++recipe) {
        if (program_.recipes[recipe].replayable) {
          lists_[use].push_back(static_cast<int>(recipe));
          extend(use, most_replays - 1);
          lists_[use].pop_back();
        }
      }
    }
  }

  void judge() {
    Schedule schedule;
    for (std::size_t use = 0; use < lists_.size(); ++use) {
      if (!lists_[use].empty()) {
        schedule.replays.push_back({.before_use = static_cast<int>(use), .recipes = lists_[use]});
      }
    }
    const Simulation simulation = simulate(program_, schedule);
    const auto [at, is_new] = frontier_.try_emplace(simulation.peak_bytes, simulation.recompute_us);
    at->second = std::min(at->second, simulation.recompute_us);
  }

  const Program& program_;
  std::vector<std::vector<int>> lists_;  // per use
  std::map<std::int64_t, double> frontier_;
};

// The budgets, among all peaks that brute force knows and those below, where exact answers worse.
std::vector<std::int64_t> budgets_where_exact_loses(const Program& program,
                                                    const BruteForce& brute_force) {
  std::vector<std::int64_t> lost;
  for (const auto& [budget_bytes, us] : brute_force.frontier()) {
    const PlanResult result = make_plan(program, "exact", {.budget_bytes = budget_bytes});
    if (!result.schedule || result.recompute_us > brute_force.least_us(budget_bytes)) {
      lost.push_back(budget_bytes);
    }
  }
  const PlanResult result =
      make_plan(program, "exact", {.budget_bytes = brute_force.least_peak() - 1});
  if (!result.schedule && result.minimum->budget_bytes > brute_force.least_peak()) {
    lost.push_back(brute_force.least_peak() - 1);
  }
  return lost;
}

TEST(Exact, IsNeverWorseThanAnyScheduleOfAFewReplays) {
  for (unsigned seed = 1; seed <= 250; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const Program program = random_program(random, 5);
    EXPECT_THAT(budgets_where_exact_loses(program, BruteForce(program, 4)), ElementsAre());
  }
}

TEST(Exact, ChargesAHeldValueThatAReplayMakesAgain) {
  // Recipe 0 makes value 0, which is wanted late, and value 1, which user code holds and is wanted
  // later still: replaying it for the former replaces the latter.
  Program program;
  program.forward_peak_bytes = {13, 3};
  program.resident_bytes = 3;
  program.values.resize(2);
  program.values[0].bytes = 10;
  program.values[0].recipe = 0;
  program.values[1].bytes = 3;
  program.values[1].recipe = 0;
  program.values[1].released_at = 2;
  program.recipes.resize(1);
  program.recipes[0].outputs = {0, 1};
  program.recipes[0].cost_us = 7;
  program.uses.resize(3);
  program.uses[0].background_bytes.running = 13;
  program.uses[1].needs = {0};
  program.uses[2].needs = {1};
  program.uses[2].background_bytes.running = 11;
  program.step_us = 7;
  // Kept: 3 + 13 + 10 bytes in use 0. Replayed: 3 + 10 + 3 before use 1, 3 + 11 + 3 in use 2.
  const PlanResult result = make_plan(program, "exact", {.budget_bytes = 17});
  ASSERT_TRUE(result.schedule.has_value());
  EXPECT_EQ(result.peak_bytes, 17);
  EXPECT_EQ(result.recompute_us, 7);
  EXPECT_EQ(make_plan(program, "exact", {.budget_bytes = 16}).minimum->budget_bytes, 17);
}

TEST(Exact, SaysThatItsAnswerIsProved) {
  Program program = chain_program({4, 4, 4, 4}, {1, 1, 1, 1});
  EXPECT_EQ(make_plan(program, "exact", {.budget_bytes = 12}).note, "proved: none is faster");
  program.uses[1].background_bytes.replaying = 100;
  program.uses[2].background_bytes.replaying = 100;
  program.uses[3].background_bytes.replaying = 100;
  EXPECT_EQ(make_plan(program, "exact", {.budget_bytes = 8}).note, "proved: none is lower");
}

TEST(Exact, RefusesAProgramOfTooManyRecipes) {
  const Program program =
      chain_program(std::vector<std::int64_t>(17, 1), std::vector<double>(17, 1));
  EXPECT_THAT([&] { make_plan(program, "exact", {.budget_bytes = 9}); },
              testing::ThrowsMessage<std::invalid_argument>(
                  HasSubstr("it has 17 recipes that may run again, at most 16")));
}

TEST(Exact, RefusesAProgramThatHoldsManyValuesThatARecipeMakesAgain) {
  EXPECT_THAT([] { make_plan(held_outputs_program(14), "exact", {.budget_bytes = 10'200}); },
              testing::ThrowsMessage<std::invalid_argument>(
                  HasSubstr("it holds 13 values that may be made again, at most 12")));
  EXPECT_TRUE(make_plan(held_outputs_program(8), "exact", {.budget_bytes = 10'200}).is_proved);
}

// Of the 4,096 subsets of the held values each is a state.
TEST(Exact, StopsWithinAUseAfterItsIterations) {
  const PlanResult result =
      make_plan(held_outputs_program(13), "exact", {.budget_bytes = 10'200, .iterations = 1});
  EXPECT_EQ(result.iterations, 2048);
  EXPECT_EQ(result.note, "stopped before anything was proved");
}

TEST(Exact, IsCancelledWithinAUse) {
  int calls = 0;
  const PlanResult result = make_plan(
      held_outputs_program(13), "exact",
      {.budget_bytes = 10'200, .wants_bound = false, .on_progress = [&](const PlanProgress&) {
         return ++calls < 2;
       }});
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(result.iterations, 2048);
  EXPECT_TRUE(result.is_cancelled);
}

TEST(Exact, StopsBeforeItsStatesFillTheMemory) {
  const Program program = triples_program(16);
  const SmallProblem problem = small_problem(program);
  const WalkLimits limits{.most_bytes = 1000, .most_us = 1000, .most_nodes = 5000};
  const WalkResult result = walk_backwards(program, problem, WalkGoal::kLeastTime, limits);
  EXPECT_TRUE(result.is_stopped);
  EXPECT_FALSE(result.replays.has_value());
  EXPECT_LT(result.steps, 50'000);
}

TEST(Exact, StopsWhenItsCallerCancels) {
  const Program program =
      chain_program(std::vector<std::int64_t>(12, 1), std::vector<double>(12, 1));
  const PlanResult result =
      make_plan(program, "exact",
                {.budget_bytes = 5, .on_progress = [](const PlanProgress&) { return false; }});
  EXPECT_TRUE(result.is_cancelled);
  EXPECT_EQ(result.note, "stopped before anything was proved");
}

TEST(Exact, HandlesTheLargestChainItTakes) {
  const Program program =
      chain_program(std::vector<std::int64_t>(16, 1), std::vector<double>(16, 1));
  const PlanResult result = make_plan(program, "exact", {.budget_bytes = 5});
  ASSERT_TRUE(result.schedule.has_value());
  EXPECT_EQ(result.note, "proved: none is faster");
}

}  // namespace
}  // namespace reprise::plan
