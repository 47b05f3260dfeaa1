// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/ask_planner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "reprise/plan/assert.h"
#include "reprise/plan/hash.h"
#include "reprise/plan/recompute_bound.h"
#include "reprise/plan/simulate.h"

namespace reprise::plan {
namespace {

constexpr double kBoundShare = 0.25;  // of a time limit
constexpr double kLongestBoundS = 60;
constexpr double kLeastTime = 1e-3;  // of a time limit, however much was spent before
constexpr int kMostSteps = 32;       // of a way down

// The schedule with its head filled in, and what it costs.
Simulation judge_schedule(const Judge& judge, const PlannerRecord& record,
                          std::int64_t budget_bytes, Schedule& schedule) {
  schedule.program_hash.clear();
  Simulation simulation = simulate(judge.program, schedule);
  schedule.program_hash = judge.hash;
  schedule.planner = record.name;
  schedule.budget_bytes = budget_bytes;
  schedule.predicted_peak_bytes = simulation.peak_bytes;
  schedule.predicted_recompute_us = simulation.recompute_us;
  return simulation;
}

using Moment = std::chrono::steady_clock::time_point;

// The bound, if there is one, worked out in at most a share of the request's time: the plan matters
// more. Then `is_cancelled` says whether the caller cancels.
std::optional<double> bound_in_time(const Judge& judge, const PlanRequest& request,
                                    bool& is_cancelled) {
  const double limit_s = request.time_limit_s > 0
                             ? std::min(kLongestBoundS, kBoundShare * request.time_limit_s)
                             : std::numeric_limits<double>::infinity();
  const auto start = std::chrono::steady_clock::now();
  const auto go_on = [&] {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    is_cancelled = is_cancelled || (request.on_progress && !request.on_progress({}));
    return !is_cancelled && spent.count() < limit_s;
  };
  const double bound_us = recompute_bound_us(judge.program, request.budget_bytes,
                                             {.floor_bytes = judge.floor.bytes, .go_on = go_on});
  return std::isfinite(bound_us) ? std::optional(bound_us) : std::nullopt;
}

bool is_stopped(const PlannerAnswer& answer) {
  return answer.is_cancelled || answer.is_out_of_time;
}

// The way down to the lowest peak that a planner is found to reach. What it finds need not be lower
// for a lower budget, so it is asked for the floor first and then for less than it has found, and
// for just that much, until nothing lower comes of it.
class Descent {
 public:
  Descent(const Judge& judge, const PlannerRecord& record, const PlanRequest& request, Moment start)
      : judge_(judge), record_(record), request_(request), start_(start) {}

  // `first`: its answer to the request.
  void run(const PlannerAnswer& first) {
    const bool is_floor = request_.budget_bytes == judge_.floor.bytes;
    iterations_ = first.iterations;
    if (is_floor) {
      take(first);
    } else {
      ask(judge_.floor.bytes);
    }
    for (int step = 0; step < kMostSteps && may_be_lower(); ++step) {
      const std::int64_t known_bytes = lowest_.peak_bytes;
      ask(known_bytes - 1);
      if (lowest_.peak_bytes == known_bytes && may_be_lower()) {
        ask(known_bytes);
      }
      if (lowest_.peak_bytes == known_bytes) {
        break;
      }
    }
    // Only where nothing is settled may it depend on the request.
    if (!is_floor && (!lowest_.answer || is_stopped())) {
      take(first);
    }
  }

  // REQUIRES: run().
  LowestAnswer take_lowest() {
    lowest_.answer->fits = false;
    lowest_.answer->iterations = iterations_;
    lowest_.answer->is_cancelled = is_cancelled_;
    lowest_.answer->is_out_of_time = is_out_of_time_;
    return std::move(lowest_);
  }

 private:
  bool is_stopped() const { return is_cancelled_ || is_out_of_time_; }
  bool may_be_lower() const {
    return lowest_.answer && !is_stopped() && !lowest_.answer->is_minimum &&
           !lowest_.answer->is_proved && lowest_.peak_bytes > judge_.floor.bytes;
  }

  void ask(std::int64_t budget_bytes) {
    PlanRequest request = request_;
    request.budget_bytes = budget_bytes;
    request.time_limit_s = time_left_s(request_, start_);
    if (std::optional<PlannerAnswer> found = record_.make()->find(judge_.program, request)) {
      iterations_ += found->iterations;
      is_cancelled_ = found->is_cancelled;
      is_out_of_time_ = found->is_out_of_time;
      take(*std::move(found));
    }
  }

  void take(PlannerAnswer found) {
    const std::int64_t peak_bytes = simulate(judge_.program, found.schedule).peak_bytes;
    if (!lowest_.answer || peak_bytes < lowest_.peak_bytes) {
      // That nothing within its budget is faster says nothing of lower peaks.
      found.is_proved = found.is_proved && !found.fits;
      lowest_ = {.answer = std::move(found), .peak_bytes = peak_bytes};
    }
  }

  const Judge& judge_;
  const PlannerRecord& record_;
  const PlanRequest& request_;
  Moment start_;
  LowestAnswer lowest_;
  std::int64_t iterations_ = 0;
  bool is_cancelled_ = false;
  bool is_out_of_time_ = false;
};

// The planner's answer to a budget of at least the floor. Where it finds nothing that fits, it is
// the lowest that it is found to reach: that must not depend on the budget that it cannot meet, and
// may fit all the same.
std::optional<PlannerAnswer> find(const Judge& judge, const PlannerRecord& record,
                                  const PlanRequest& request, LowestAnswer& lowest) {
  const auto start = std::chrono::steady_clock::now();
  if (lowest.settles(request.budget_bytes)) {
    return lowest.answer;
  }
  std::optional<PlannerAnswer> answer = record.make()->find(judge.program, request);
  if (!answer || answer->fits || answer->is_proved || is_stopped(*answer)) {
    return answer;
  }
  if (answer->is_minimum) {
    lowest = {.answer = answer, .peak_bytes = simulate(judge.program, answer->schedule).peak_bytes};
  }
  if (!lowest.answer) {
    Descent descent(judge, record, request, start);
    descent.run(*answer);
    LowestAnswer found = descent.take_lowest();
    if (is_stopped(*found.answer)) {
      return found.answer;
    }
    lowest = std::move(found);
  }
  return lowest.answer;
}

}  // namespace

double time_left_s(const PlanRequest& request, Moment start) {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  return request.time_limit_s > 0
             ? std::max(kLeastTime * request.time_limit_s, request.time_limit_s - spent.count())
             : 0;
}

Judge::Judge(const Program& judged_program)
    : program(judged_program),
      hash(program_hash(judged_program)),
      floor(peak_floor(judged_program)) {}

PlanResult blank_result(const Judge& judge, const PlannerRecord& record,
                        std::int64_t budget_bytes) {
  PlanResult result;
  result.planner = record.name;
  result.budget_bytes = budget_bytes;
  result.floor_bytes = judge.floor.bytes;
  return result;
}

// Puts the schedule into the result: as the plan if it fits, else as the minimum.
void take(PlanResult& result, const Judge& judge, const PlannerRecord& record, Schedule schedule) {
  const Simulation simulation = judge_schedule(judge, record, result.budget_bytes, schedule);
  if (simulation.peak_bytes > result.budget_bytes) {
    const bool is_floor = simulation.peak_bytes == judge.floor.bytes;
    const bool was_proved = result.minimum && result.minimum->is_proved &&
                            result.minimum->budget_bytes == simulation.peak_bytes;
    schedule.budget_bytes = simulation.peak_bytes;
    result.is_proved = is_floor || was_proved;
    result.minimum = {
        .budget_bytes = simulation.peak_bytes,
        .reason = is_floor ? judge.floor.reason : peak_reason(judge.program, simulation),
        .schedule = std::move(schedule),
        .is_proved = result.is_proved};
    return;
  }
  set_plan(judge.program, std::move(schedule), simulation, result);
}

PlanResult ask(const Judge& judge, const PlannerRecord& record, const PlanRequest& request,
               LowestAnswer& lowest) {
  const auto start = std::chrono::steady_clock::now();
  PlanResult result = blank_result(judge, record, request.budget_bytes);
  if (request.wants_bound && request.budget_bytes >= judge.floor.bytes) {
    result.bound_us = bound_in_time(judge, request, result.is_cancelled);
  }
  // Below the floor the question becomes what the planner can reach at best.
  PlanRequest reachable = request;
  reachable.budget_bytes = std::max(request.budget_bytes, judge.floor.bytes);
  reachable.time_limit_s = time_left_s(request, start);
  if (result.is_cancelled) {
    // The caller has said so and is not asked again; the planner stops at its first report.
    reachable.on_progress = [](const PlanProgress& /*progress*/) { return false; };
  }
  std::optional<PlannerAnswer> answer = find(judge, record, reachable, lowest);
  if (!answer) {
    return result;
  }
  result.iterations = answer->iterations;
  result.is_cancelled = result.is_cancelled || answer->is_cancelled;
  result.is_out_of_time = answer->is_out_of_time;
  result.note = std::move(answer->note);

  const bool claims_to_fit = answer->fits;
  const bool is_proved = answer->is_proved;
  const bool is_least = answer->is_minimum && !is_stopped(*answer);
  take(result, judge, record, std::move(answer->schedule));
  const std::int64_t peak_bytes =
      result.schedule ? result.peak_bytes : result.minimum->budget_bytes;
  REPRISE_ASSERT(!claims_to_fit || peak_bytes <= reachable.budget_bytes,
                 "a planner was wrong about whether its schedule fits");
  if (result.minimum) {
    result.minimum->is_least = is_least;
    result.minimum->is_proved = result.minimum->is_proved || is_proved;
  }
  // The fastest schedule of the lowest peak need not be the fastest in a larger budget.
  result.is_proved = result.minimum ? result.minimum->is_proved : is_proved && claims_to_fit;
  set_gap(judge.program, result);
  return result;
}

}  // namespace reprise::plan
