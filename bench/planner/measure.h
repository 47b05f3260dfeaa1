// SPDX-License-Identifier: Apache-2.0
// Plans with the CPU time and the memory that they took.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reprise/plan/planners.h"
#include "reprise/plan/program.h"

namespace reprise::bench {

double cpu_s();                    // of this process so far
std::int64_t peak_memory_bytes();  // of this process so far, as the system counts it

// `share` of the peak with everything kept, rounded down.
std::int64_t budget_at(const plan::Program& program, double share);
// floor + beta * (keep-all peak - floor): 0 is what no schedule can go below.
std::int64_t budget_between(const plan::Program& program, double beta);

struct MeasuredPlan {
  plan::PlanResult result;
  double cpu_s = 0;  // of planning alone: the bound is worked out afterwards
};

// With the planner's own number of iterations, and the bound if there is one.
MeasuredPlan measure_plan(const plan::Program& program, const std::string& planner,
                          std::int64_t budget_bytes);

// The planner that is best at a budget, of those named that take the program.
struct NamedPlan {
  std::string planner = "none fits";
  std::optional<double> overhead;
};
NamedPlan best_plan(const plan::Program& program, const std::vector<std::string>& planners,
                    std::int64_t budget_bytes);

// Shares of the plain step; nothing if there is no plan, or no bound.
std::optional<double> overhead(const plan::PlanResult& result);
std::optional<double> bound(const plan::PlanResult& result, const plan::Program& program);

// CPU time that `search` is claimed to take at most.
double most_seconds(const plan::Program& program);

}  // namespace reprise::bench
