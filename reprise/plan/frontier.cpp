// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/frontier.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "reprise/plan/ask_planner.h"
#include "reprise/plan/candidates.h"

namespace reprise::plan {
namespace {

// A schedule that was found for some budget, and what the planner said of it.
struct Found {
  JudgedSchedule judged;
  std::string note;
};

std::optional<Found> found_in(const PlanResult& result) {
  const Schedule* const schedule = result.schedule  ? &*result.schedule
                                   : result.minimum ? &result.minimum->schedule
                                                    : nullptr;
  if (schedule == nullptr) {
    return std::nullopt;
  }
  return Found{.judged = {.schedule = *schedule,
                          .outcome = {.peak_bytes = schedule->predicted_peak_bytes,
                                      .recompute_us = schedule->predicted_recompute_us}},
               .note = result.note};
}

// Of equals the first; nullptr if there is none.
const Found* best_for(const std::vector<Found>& found, std::int64_t budget_bytes) {
  const Found* best = nullptr;
  for (const Found& candidate : found) {
    if (best == nullptr ||
        is_better(candidate.judged.outcome, best->judged.outcome, budget_bytes)) {
      best = &candidate;
    }
  }
  return best;
}

// A minimum that the planner vouches for is not undercut by what was found for other budgets. An
// answer that was stopped vouches for nothing, whatever the planner says of this budget elsewhere.
bool is_settled(const PlanResult& result, const LowestAnswer& lowest) {
  return result.minimum && !result.is_cancelled && !result.is_out_of_time &&
         lowest.settles(result.budget_bytes);
}

}  // namespace

std::vector<PlanResult> frontier_of(const Program& program, const PlannerRecord& record,
                                    const std::vector<std::int64_t>& budgets,
                                    const PlanRequest& request) {
  std::vector<std::int64_t> ascending = budgets;
  std::sort(ascending.begin(), ascending.end());
  ascending.erase(std::unique(ascending.begin(), ascending.end()), ascending.end());

  const Judge judge(program);
  LowestAnswer lowest;
  std::vector<PlanResult> solved;
  std::vector<Found> found;  // in the order of the budgets they were found for
  for (const std::int64_t budget_bytes : ascending) {
    PlanRequest one = request;
    one.budget_bytes = budget_bytes;
    solved.push_back(ask(judge, record, one, lowest));
    if (std::optional<Found> one_more = found_in(solved.back())) {
      found.push_back(*std::move(one_more));
    }
    if (solved.back().is_cancelled) {
      break;
    }
  }

  std::vector<PlanResult> frontier;
  for (const std::int64_t budget_bytes : budgets) {
    const auto at = std::lower_bound(ascending.begin(), ascending.end(), budget_bytes);
    const auto position = static_cast<std::size_t>(at - ascending.begin());
    // After a cancellation the budgets that were not reached still get what was found for others.
    PlanResult result;
    if (position < solved.size()) {
      result = solved[position];
    } else {
      result = blank_result(judge, record, budget_bytes);
      result.is_cancelled = true;
    }
    const Found* const best = best_for(found, budget_bytes);
    if (best != nullptr && !is_settled(result, lowest)) {
      take(result, judge, record, best->judged.schedule);
      result.note = best->note;
    }
    frontier.push_back(std::move(result));
  }
  return frontier;
}

}  // namespace reprise::plan
