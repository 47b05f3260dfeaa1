// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>
#include <vector>

#include "bench/planner/measure.h"
#include "bench/planner/tables.h"
#include "tests/plan/random_program.h"

namespace reprise::bench {
namespace {

constexpr std::size_t kPrograms = 1000;
constexpr double kRounding = 1e-6;

// Those of up to 12 ops in which there is something to decide.
std::vector<plan::Program> tiny_programs() {
  const plan::PlannerRecord& exact = plan::find_planner("exact");
  std::vector<plan::Program> all;
  for (unsigned seed = 1; all.size() < kPrograms; ++seed) {
    std::mt19937 random(seed);
    plan::Program program = plan::RandomProgram::make(random, 12);
    if (budget_between(program, 1) > budget_between(program, 0) && !exact.applies(program)) {
      all.push_back(std::move(program));
    }
  }
  return all;
}

}  // namespace

BenchTable tiny_table() {
  BenchTable table("tiny",
                   "search on 1,000 random programs of up to 12 ops against the exact optimum, at "
                   "budgets of floor + beta * (keep-all peak - floor)",
                   {{"beta", "beta"},
                    {"solvable", "solvable"},
                    {"optimal", "optimal %", 9},
                    {"claimed_optimal", "claim"},
                    {"no_plan", "no plan %", 9},
                    {"claimed_no_plan", "claim"},
                    {"worst_step_ratio", "worst step", 10},
                    {"below_optimum", "too fast"},
                    {"cpu_s", "CPU s"}});
  const std::vector<plan::Program> programs = tiny_programs();
  for (const double beta : {.15, .40, .70}) {
    int solvable = 0;
    int optimal = 0;
    int no_plan = 0;
    int below_optimum = 0;
    double worst = 1;
    double search_s = 0;
    for (const plan::Program& program : programs) {
      const plan::PlanRequest request = {.budget_bytes = budget_between(program, beta),
                                         .wants_bound = false};
      const plan::PlanResult optimum = plan::make_plan(program, "exact", request);
      const double begin_s = cpu_s();
      const plan::PlanResult result = plan::make_plan(program, "search", request);
      search_s += cpu_s() - begin_s;
      if (!optimum.schedule) {
        below_optimum += result.schedule ? 1 : 0;
        continue;
      }
      ++solvable;
      if (!result.schedule) {
        ++no_plan;
        continue;
      }
      optimal += result.recompute_us <= optimum.recompute_us + kRounding ? 1 : 0;
      below_optimum += result.recompute_us < optimum.recompute_us - kRounding ? 1 : 0;
      worst = std::max(worst, (program.step_us + result.recompute_us) /
                                  (program.step_us + optimum.recompute_us));
    }
    const double optimal_share = static_cast<double>(optimal) / solvable;
    const double no_plan_share = static_cast<double>(no_plan) / solvable;
    table.add({number(beta, 2),
               whole(solvable),
               percent(optimal_share, 1),
               {">= 98.0", 98.0},
               percent(no_plan_share, 1),
               limit(.5),
               number(worst, 3),
               whole(below_optimum),
               number(search_s, 1)},
              optimal_share >= .98 && no_plan_share <= .005 && below_optimum == 0);
  }
  return table;
}

}  // namespace reprise::bench
