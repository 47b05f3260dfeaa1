// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <vector>

#include "bench/planner/measure.h"
#include "bench/planner/tables.h"
#include "reprise/plan/peak_floor.h"
#include "reprise/plan/recompute_bound.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/recorded_programs.h"

namespace reprise::bench {

BenchTable frontier_table() {
  const plan::Program program = plan::recorded_program("gpt6");
  const std::vector<double> shares = {.80, .70, .60, .50, .40, .30, .20};
  std::vector<BenchColumn> columns = {{"planner", "planner", 14}};
  std::vector<std::int64_t> budgets;
  for (const double share : shares) {
    const std::string title = number(share, 2).text;
    columns.push_back({title, title, 7});
    budgets.push_back(budget_at(program, share));
  }
  columns.push_back({"minimum", "minimum", 7});
  columns.push_back({"cpu_s", "CPU s"});
  BenchTable table("planners",
                   "gpt6: recomputation in % of the step by every planner at shares of the peak "
                   "with everything kept, and the smallest budget it meets, in %",
                   columns);

  std::vector<Cell> bounds = {words("(bound)")};
  for (const std::int64_t budget_bytes : budgets) {
    bounds.push_back(percent(plan::recompute_bound_us(program, budget_bytes) / program.step_us, 1));
  }
  const auto peak = static_cast<double>(plan::simulate_keep_all(program).peak_bytes);
  const std::int64_t floor_bytes = plan::peak_floor(program).bytes;
  bounds.push_back(percent(static_cast<double>(floor_bytes) / peak, 1));
  bounds.push_back(number({}, 1));
  table.add(bounds);

  budgets.push_back(floor_bytes);
  for (const plan::PlannerRecord& record : plan::planner_records()) {
    if (record.applies != nullptr && record.applies(program)) {
      continue;
    }
    const double begin_s = cpu_s();
    const std::vector<plan::PlanResult> results =
        plan::plan_frontier(program, record.name, budgets, {.wants_bound = false});
    const double spent_s = cpu_s() - begin_s;
    std::vector<Cell> cells = {words(record.name)};
    for (std::size_t i = 0; i < shares.size(); ++i) {
      cells.push_back(
          percent(results[i].schedule ? std::optional(results[i].overhead) : std::nullopt, 1));
    }
    const plan::PlanResult& lowest = results.back();
    cells.push_back(percent(
        lowest.schedule  ? std::optional(static_cast<double>(lowest.peak_bytes) / peak)
        : lowest.minimum ? std::optional(static_cast<double>(lowest.minimum->budget_bytes) / peak)
                         : std::nullopt,
        1));
    cells.push_back(number(spent_s, 2));
    table.add(cells);
  }
  return table;
}

}  // namespace reprise::bench
