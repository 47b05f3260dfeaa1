// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/smallest_peak.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "reprise/plan/simulate.h"

namespace reprise::plan {
namespace {

constexpr std::int64_t kResolution = 200;  // parts of the peak with everything kept

}  // namespace

PlanResult make_smallest_plan(const Program& program, const std::string& planner,
                              const PlanRequest& request, double most_overhead) {
  if (!(most_overhead >= 0)) {
    throw std::invalid_argument("most_overhead: expected a number >= 0, got " +
                                std::to_string(most_overhead));
  }
  require_valid(program, "make_smallest_plan");
  const std::int64_t all_bytes = simulate_keep_all(program).peak_bytes;
  PlanRequest asked = request;
  asked.budget_bytes = std::min(request.budget_bytes, all_bytes);
  PlanResult best = make_plan(program, planner, asked);
  best.budget_bytes = request.budget_bytes;
  if (!best.schedule || best.overhead > most_overhead) {
    return best;
  }
  std::int64_t too_low = best.floor_bytes - 1;
  while (best.peak_bytes - too_low > std::max<std::int64_t>(1, all_bytes / kResolution) &&
         !best.is_cancelled) {
    asked.budget_bytes = too_low + (best.peak_bytes - too_low) / 2;
    PlanResult found = make_plan(program, planner, asked);
    const std::int64_t iterations = best.iterations + found.iterations;
    if (found.schedule && found.overhead <= most_overhead) {
      best = std::move(found);
    } else {
      too_low = asked.budget_bytes;
      best.is_cancelled = best.is_cancelled || found.is_cancelled;
    }
    best.iterations = iterations;
  }
  return best;
}

}  // namespace reprise::plan
