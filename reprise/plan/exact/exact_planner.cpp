// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/exact/exact_planner.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "reprise/plan/assert.h"
#include "reprise/plan/candidates.h"
#include "reprise/plan/exact/backward_walk.h"
#include "reprise/plan/exact/small_problem.h"
#include "reprise/plan/rebuild.h"

namespace reprise::plan {
namespace {

constexpr std::int64_t kDefaultSteps = 20'000'000;
constexpr double kUnlimitedUs = std::numeric_limits<double>::infinity();

// The limits of one find(), over all its walks.
class Limits {
 public:
  explicit Limits(const PlanRequest& request)
      : request_(request),
        most_steps_(request.iterations > 0 ? request.iterations : kDefaultSteps) {}

  // `steps`: of the present walk.
  bool goes_on(std::int64_t steps, const PlannerAnswer& best) {
    const std::int64_t all_steps = finished_steps_ + steps;
    const double elapsed_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    is_out_of_time_ = request_.time_limit_s > 0 && elapsed_s >= request_.time_limit_s;
    if (request_.on_progress) {
      is_cancelled_ =
          !request_.on_progress({.iterations = all_steps,
                                 .fraction = std::min(1.0, static_cast<double>(all_steps) /
                                                               static_cast<double>(most_steps_)),
                                 .best_peak_bytes = best_.peak_bytes,
                                 .best_recompute_us = best_.recompute_us,
                                 .fits = best.fits});
    }
    return !is_out_of_time_ && !is_cancelled_ && all_steps < most_steps_;
  }

  void show(const Outcome& best) { best_ = best; }
  void finish_walk(std::int64_t steps) { finished_steps_ += steps; }

  void fill(PlannerAnswer& answer) const {
    answer.iterations = finished_steps_;
    answer.is_out_of_time = is_out_of_time_;
    answer.is_cancelled = is_cancelled_;
  }

 private:
  const PlanRequest& request_;
  std::int64_t most_steps_;
  std::int64_t finished_steps_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Outcome best_;
  bool is_out_of_time_ = false;
  bool is_cancelled_ = false;
};

// Simple schedules that a walk has to beat: everything kept, and the first or last so many values
// dropped.
void offer_simple_schedules(const Program& program, const SmallProblem& problem,
                            Candidates& candidates) {
  std::vector<int> droppable;
  std::copy_if(problem.values.begin(), problem.values.end(), std::back_inserter(droppable),
               [&](int value) { return is_rebuildable(program, value); });
  std::vector<bool> stays(program.values.size(), true);
  candidates.offer({});
  for (const int value : droppable) {
    stays[static_cast<std::size_t>(value)] = false;
    candidates.offer(rebuild_lazily(program, stays));
  }
  for (const int value : droppable) {
    stays[static_cast<std::size_t>(value)] = true;
    candidates.offer(rebuild_lazily(program, stays));
  }
}

class Exact : public Planner {
 public:
  std::optional<PlannerAnswer> find(const Program& program,
                                    const PlanRequest& request) const override {
    PlanRequest quiet;  // the limits are on steps, not on schedules
    quiet.budget_bytes = request.budget_bytes;
    Candidates candidates(program, quiet, 1);
    const SmallProblem problem = small_problem(program);
    offer_simple_schedules(program, problem, candidates);
    Limits limits(request);
    bool is_proved =
        search(program, problem, WalkGoal::kLeastTime, request.budget_bytes, limits, candidates);
    if (is_proved && !candidates.answer()->fits) {
      is_proved = search(program, problem, WalkGoal::kLeastPeak, candidates.best().peak_bytes,
                         limits, candidates) &&
                  search(program, problem, WalkGoal::kLeastTime, candidates.best().peak_bytes,
                         limits, candidates);
    }
    PlannerAnswer answer = *candidates.answer();
    limits.fill(answer);
    answer.is_proved = is_proved;
    answer.note = is_proved ? (answer.fits ? "proved: none is faster" : "proved: none is lower")
                            : "stopped before anything was proved";
    return answer;
  }

 private:
  // Offers the best walk, if it is not worse than what is known. False if a limit stopped it.
  static bool search(const Program& program, const SmallProblem& problem, WalkGoal goal,
                     std::int64_t most_bytes, Limits& limits, Candidates& candidates) {
    const PlannerAnswer known = *candidates.answer();
    const bool can_only_be_faster =
        goal == WalkGoal::kLeastTime && candidates.best().peak_bytes <= most_bytes;
    limits.show(candidates.best());
    if (!limits.goes_on(0, known)) {
      return false;
    }
    // Sums in another order may differ in the last digit.
    const double most_us =
        can_only_be_faster ? candidates.best().recompute_us * (1 + 1e-9) : kUnlimitedUs;
    WalkResult walk = walk_backwards(
        program, problem, goal,
        {.most_bytes = most_bytes, .most_us = most_us, .goes_on = [&](std::int64_t steps) {
           return limits.goes_on(steps, known);
         }});
    limits.finish_walk(walk.steps);
    if (walk.replays) {
      candidates.offer(std::move(*walk.replays));
      REPRISE_ASSERT(candidates.last().peak_bytes <= most_bytes,
                     "a backward walk counts other bytes than the simulator");
    }
    return !walk.is_stopped;
  }
};

}  // namespace

PlannerRecord exact_record() {
  PlannerRecord record =
      record_of<Exact>("exact", "the fastest schedule there is, for programs of a few recipes");
  record.is_exact = true;
  record.applies = why_not_small;
  return record;
}

}  // namespace reprise::plan
