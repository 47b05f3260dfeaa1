// SPDX-License-Identifier: Apache-2.0
#include "bench/planner/measure.h"

#include <cmath>

#include <sys/resource.h>

#include "bench/cpu_clock.h"
#include "reprise/plan/peak_floor.h"
#include "reprise/plan/recompute_bound.h"
#include "reprise/plan/simulate.h"

namespace reprise::bench {

double cpu_s() { return process_cpu_ms() / 1e3; }

std::int64_t peak_memory_bytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{1024} * usage.ru_maxrss;  // Linux counts in KiB
}

std::int64_t budget_at(const plan::Program& program, double share) {
  return static_cast<std::int64_t>(
      share * static_cast<double>(plan::simulate_keep_all(program).peak_bytes));
}

std::int64_t budget_between(const plan::Program& program, double beta) {
  const std::int64_t floor_bytes = plan::peak_floor(program).bytes;
  const std::int64_t range = plan::simulate_keep_all(program).peak_bytes - floor_bytes;
  return floor_bytes + static_cast<std::int64_t>(beta * static_cast<double>(range));
}

MeasuredPlan measure_plan(const plan::Program& program, const std::string& planner,
                          std::int64_t budget_bytes) {
  const double begin_s = cpu_s();
  MeasuredPlan measured;
  measured.result =
      plan::make_plan(program, planner, {.budget_bytes = budget_bytes, .wants_bound = false});
  measured.cpu_s = cpu_s() - begin_s;
  plan::PlanResult& result = measured.result;
  const double bound_us = result.schedule ? plan::recompute_bound_us(program, budget_bytes) : 0;
  if (result.schedule && std::isfinite(bound_us)) {
    result.bound_us = bound_us;
    result.gap = (result.recompute_us - bound_us) / program.step_us;
  }
  return measured;
}

NamedPlan best_plan(const plan::Program& program, const std::vector<std::string>& planners,
                    std::int64_t budget_bytes) {
  NamedPlan best;
  for (const std::string& planner : planners) {
    const plan::PlannerRecord& record = plan::find_planner(planner);
    if (record.applies != nullptr && record.applies(program)) {
      continue;
    }
    const plan::PlanResult result =
        plan::make_plan(program, planner, {.budget_bytes = budget_bytes, .wants_bound = false});
    if (result.schedule && (!best.overhead || result.overhead < *best.overhead)) {
      best = {planner, result.overhead};
    }
  }
  return best;
}

std::optional<double> overhead(const plan::PlanResult& result) {
  return result.schedule ? std::optional(result.overhead) : std::nullopt;
}

std::optional<double> bound(const plan::PlanResult& result, const plan::Program& program) {
  return result.bound_us ? std::optional(*result.bound_us / program.step_us) : std::nullopt;
}

double most_seconds(const plan::Program& program) { return program.recipes.size() <= 600 ? 4 : 15; }

}  // namespace reprise::bench
