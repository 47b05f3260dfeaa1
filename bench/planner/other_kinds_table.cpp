// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "bench/planner/measure.h"
#include "bench/planner/tables.h"
#include "reprise/plan/peak_floor.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/recorded_programs.h"

namespace reprise::bench {
namespace {

using plan::Program;

// What is claimed of each row: the time that planning took.
bool is_in_time(const MeasuredPlan& measured, const Program& program) {
  return measured.cpu_s <= most_seconds(program);
}

std::vector<Cell> row_head(const std::string& path, const Program& program) {
  return {words(path.substr(path.find('/') + 1)),
          whole(static_cast<std::int64_t>(program.recipes.size()))};
}

void add_budget(BenchTable& table, const std::string& path, const Program& program, double share) {
  const std::int64_t budget_bytes = budget_at(program, share);
  std::vector<Cell> cells = row_head(path, program);
  cells.push_back(number(share, 3));
  if (budget_bytes < plan::peak_floor(program).bytes) {
    cells.insert(
        cells.end(),
        {{"floor", nullptr}, percent({}), percent({}), number({}, 1), limit({}), words("")});
    table.add(cells);
    return;
  }
  const MeasuredPlan measured = measure_plan(program, "search", budget_bytes);
  cells.insert(cells.end(), {percent(overhead(measured.result)),
                             percent(bound(measured.result, program)), percent(measured.result.gap),
                             number(measured.cpu_s, 2), limit(most_seconds(program)), words("")});
  table.add(cells, is_in_time(measured, program));
}

// The smallest budget that is met.
void add_minimum(BenchTable& table, const std::string& path, const Program& program) {
  const auto peak = static_cast<double>(plan::simulate_keep_all(program).peak_bytes);
  const std::int64_t floor_bytes = plan::peak_floor(program).bytes;
  const MeasuredPlan measured = measure_plan(program, "search", floor_bytes);
  const plan::PlanResult& result = measured.result;
  const plan::Schedule& schedule = result.schedule ? *result.schedule : result.minimum->schedule;
  std::vector<Cell> cells = row_head(path, program);
  cells.insert(
      cells.end(),
      {number(static_cast<double>(schedule.predicted_peak_bytes) / peak, 3),
       percent(schedule.predicted_recompute_us / program.step_us), percent({}), percent({}),
       number(measured.cpu_s, 2), limit(most_seconds(program)),
       words("minimum; floor " + number(static_cast<double>(floor_bytes) / peak, 3).text)});
  table.add(cells, is_in_time(measured, program));
}

}  // namespace

BenchTable other_kinds_table() {
  BenchTable table(
      "others",
      "search on recorded steps of other kinds, not used for tuning; budgets in shares "
      "of the peak with everything kept, recomputation in % of the step",
      {{"program", "program", 15},
       {"recipes", "recipes"},
       {"budget_share", "budget"},
       {"overhead", "search"},
       {"bound", "bound"},
       {"gap", "gap"},
       {"cpu_s", "CPU s"},
       {"claimed_s", "claim"},
       {"note", "", 20}});
  for (const std::string& path : plan::other_kinds()) {
    const Program program = plan::recorded_program(path);
    for (const double share : {.70, .50, .40, .30}) {
      add_budget(table, path, program, share);
    }
    add_minimum(table, path, program);
  }
  return table;
}

}  // namespace reprise::bench
