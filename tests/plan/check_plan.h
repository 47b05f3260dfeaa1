// SPDX-License-Identifier: Apache-2.0
// What must hold for the answer of any planner to any program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reprise/plan/planners.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/complaints.h"

namespace reprise::plan {

inline std::int64_t bytes_of(const Program& program, const PeakReason& reason) {
  std::int64_t bytes = reason.background_bytes;
  for (const int value : reason.values) {
    bytes += program.values[static_cast<std::size_t>(value)].bytes;
  }
  return bytes;
}

// A plan that fits and costs what it says, or else a minimum with a reason that adds up to it.
inline void check_plan(const Program& program, const PlanResult& result, Complaints& wrong) {
  const std::string at = "budget " + std::to_string(result.budget_bytes) + ": ";
  wrong.unless(result.schedule.has_value() != result.minimum.has_value(),
               at + "there must be a plan or a minimum");
  if (result.schedule) {
    const Simulation simulation = simulate(program, *result.schedule);  // and its hash
    wrong.unless(simulation.peak_bytes <= result.budget_bytes, at + "the plan does not fit");
    wrong.unless(simulation.peak_bytes == result.peak_bytes, at + "another peak is claimed");
    wrong.unless(simulation.recompute_us == result.recompute_us, at + "another time is claimed");
  }
  if (result.minimum) {
    const MinimumBudget& minimum = *result.minimum;
    wrong.unless(minimum.budget_bytes > result.budget_bytes, at + "the minimum is no more");
    wrong.unless(simulate(program, minimum.schedule).peak_bytes == minimum.budget_bytes,
                 at + "the minimum's plan has another peak");
    wrong.unless(!minimum.reason.place.empty(), at + "the minimum has no reason");
    wrong.unless(bytes_of(program, minimum.reason) == minimum.budget_bytes,
                 at + "the reason does not add up to the minimum");
  }
}

// A smaller budget is never faster and never has the higher peak. REQUIRES: budgets ascend.
inline void check_is_monotone(const std::vector<PlanResult>& frontier, Complaints& wrong) {
  for (std::size_t i = 1; i < frontier.size(); ++i) {
    if (!frontier[i - 1].schedule) {
      continue;
    }
    wrong.unless(frontier[i].schedule.has_value(), "no plan for a larger budget");
    wrong.unless(frontier[i].recompute_us <= frontier[i - 1].recompute_us,
                 "a larger budget is slower");
    wrong.unless(frontier[i].peak_bytes >= frontier[i - 1].peak_bytes,
                 "a smaller budget has the higher peak");
  }
}

}  // namespace reprise::plan
