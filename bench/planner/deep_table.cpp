// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "bench/planner/measure.h"
#include "bench/planner/tables.h"
#include "reprise/plan/recompute_bound.h"
#include "tests/plan/recorded_programs.h"

namespace reprise::bench {
namespace {

struct Depth {
  std::int64_t layers;
  double share;
  double most_points;
  double most_s;
  double most_gigabytes;
};

}  // namespace

BenchTable deep_table() {
  BenchTable table("deep",
                   "search on a recorded transformer made deeper; recomputation in % of the step, "
                   "memory: the most that this process had so far",
                   {{"program", "program", 12},
                    {"ops", "ops", 6},
                    {"budget_share", "budget"},
                    {"overhead", "search"},
                    {"bound", "bound"},
                    {"gap", "gap"},
                    {"claimed_points", "claim"},
                    {"cpu_s", "CPU s"},
                    {"claimed_s", "claim"},
                    {"memory_bytes", "GB"},
                    {"claimed_gigabytes", "claim"}});
  // The smaller one first: memory only ever grows.
  for (const Depth& depth :
       {Depth{150, .50, 1.2, 10, 2}, Depth{150, .33, 1.2, 10, 2}, Depth{150, .28, 1.2, 10, 2},
        Depth{1500, .50, .3, 30, 2}, Depth{1500, .33, 1.2, 30, 2}, Depth{1500, .27, 2, 30, 2}}) {
    const plan::Program program = plan::deep_gpt(depth.layers);
    const MeasuredPlan measured = measure_plan(program, "search", budget_at(program, depth.share));
    const plan::PlanResult& result = measured.result;
    const double gigabytes = 1e-9 * static_cast<double>(peak_memory_bytes());
    const bool holds = result.gap && 100 * *result.gap <= depth.most_points &&
                       measured.cpu_s <= depth.most_s && gigabytes <= depth.most_gigabytes;
    table.add({words(program.name),
               whole(program.ops()),
               number(depth.share, 2),
               percent(result.schedule ? std::optional(result.overhead) : std::nullopt),
               percent(result.bound_us ? std::optional(*result.bound_us / program.step_us)
                                       : std::nullopt),
               percent(result.gap),
               limit(depth.most_points),
               number(measured.cpu_s, 2),
               limit(depth.most_s),
               {number(gigabytes, 2).text, peak_memory_bytes()},
               limit(depth.most_gigabytes)},
              holds);
  }
  return table;
}

}  // namespace reprise::bench
