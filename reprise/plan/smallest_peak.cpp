// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/smallest_peak.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "reprise/plan/argument_error.h"
#include "reprise/plan/ask_planner.h"
#include "reprise/plan/checks.h"
#include "reprise/plan/simulate.h"

namespace reprise::plan {
namespace {

constexpr std::int64_t kResolution = 200;  // parts of the peak with everything kept

// Asks one planner several times, within one time limit.
class Asker {
 public:
  Asker(const Program& program, const PlannerRecord& record, const PlanRequest& request)
      : judge_(program), record_(record), request_(request) {}

  PlanResult ask(std::int64_t budget_bytes) {
    PlanRequest request = request_;
    request.budget_bytes = budget_bytes;
    request.time_limit_s = time_left_s(request_, began_);
    PlanResult result = plan::ask(judge_, record_, request, lowest_);
    iterations_ += result.iterations;
    is_cancelled_ = is_cancelled_ || result.is_cancelled;
    is_out_of_time_ = is_out_of_time_ || result.is_out_of_time;
    return result;
  }
  bool is_stopped() const { return is_cancelled_ || is_out_of_time_; }
  // `best` as the answer to all that was asked.
  PlanResult answer(PlanResult best) const {
    best.budget_bytes = request_.budget_bytes;
    best.iterations = iterations_;
    best.is_cancelled = is_cancelled_;
    best.is_out_of_time = is_out_of_time_;
    return best;
  }

 private:
  const Judge judge_;
  const PlannerRecord& record_;
  const PlanRequest& request_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  LowestAnswer lowest_;
  std::int64_t iterations_ = 0;
  bool is_cancelled_ = false;
  bool is_out_of_time_ = false;
};

}  // namespace

PlanResult make_smallest_plan(const Program& program, const std::string& planner,
                              const PlanRequest& request, double most_overhead) {
  if (!(most_overhead >= 0)) {
    throw ArgumentError("make_smallest_plan", "most_overhead", "a number >= 0",
                        std::to_string(most_overhead));
  }
  const PlannerRecord& record = require_planner(program, planner, request, "make_smallest_plan");
  require_at_least("make_smallest_plan", "budget_bytes", request.budget_bytes, 0);
  const std::int64_t all_bytes = simulate_keep_all(program).peak_bytes;
  Asker asker(program, record, request);
  PlanResult best = asker.ask(std::min(request.budget_bytes, all_bytes));
  if (!best.schedule || best.overhead > most_overhead) {
    return asker.answer(std::move(best));
  }
  std::int64_t too_low = best.floor_bytes - 1;
  while (best.peak_bytes - too_low > std::max<std::int64_t>(1, all_bytes / kResolution) &&
         !asker.is_stopped()) {
    const std::int64_t middle = too_low + (best.peak_bytes - too_low) / 2;
    PlanResult found = asker.ask(middle);
    if (found.schedule && found.overhead <= most_overhead) {
      best = std::move(found);
    } else {
      too_low = middle;
    }
  }
  return asker.answer(std::move(best));
}

}  // namespace reprise::plan
