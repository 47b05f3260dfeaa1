// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/candidates.h"

#include <algorithm>
#include <utility>

namespace reprise::plan {

bool is_better(const Outcome& a, const Outcome& b, std::int64_t budget_bytes) {
  const bool a_fits = a.peak_bytes <= budget_bytes;
  const bool b_fits = b.peak_bytes <= budget_bytes;
  if (a_fits != b_fits) {
    return a_fits;
  }
  if (a_fits) {
    return a.recompute_us != b.recompute_us ? a.recompute_us < b.recompute_us
                                            : a.peak_bytes < b.peak_bytes;
  }
  return a.peak_bytes != b.peak_bytes ? a.peak_bytes < b.peak_bytes
                                      : a.recompute_us < b.recompute_us;
}

Outcome outcome_of(const Simulation& simulation) {
  return {.peak_bytes = simulation.peak_bytes, .recompute_us = simulation.recompute_us};
}

JudgedSchedule judged(const Program& program, Schedule schedule) {
  const Outcome outcome = outcome_of(simulate(program, schedule));
  return {.schedule = std::move(schedule), .outcome = outcome};
}

Candidates::Candidates(const Program& program, const PlanRequest& request, std::int64_t expected)
    : program_(program), request_(request), expected_(std::max<std::int64_t>(1, expected)) {}

bool Candidates::offer(std::vector<Replays> replays) {
  Schedule schedule;
  schedule.replays = std::move(replays);
  last_ = outcome_of(simulate(program_, schedule));
  last_is_best_ = !best_ || is_better(last_, *best_, request_.budget_bytes);
  if (last_is_best_) {
    best_ = last_;
    answer_.schedule = std::move(schedule);
    answer_.fits = last_fits();
  }
  ++answer_.iterations;
  const bool is_last = request_.iterations > 0 && answer_.iterations >= request_.iterations;
  return goes_on() && !is_last;
}

bool Candidates::goes_on() {
  if (answer_.is_out_of_time || answer_.is_cancelled) {
    return false;
  }
  const double elapsed_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  answer_.is_out_of_time = request_.time_limit_s > 0 && elapsed_s >= request_.time_limit_s;
  if (request_.on_progress) {
    const std::int64_t limit =
        request_.iterations > 0 ? std::min(request_.iterations, expected_) : expected_;
    const Outcome shown = best_.value_or(Outcome{});
    answer_.is_cancelled =
        !request_.on_progress({.iterations = answer_.iterations,
                               .fraction = std::min(1.0, static_cast<double>(answer_.iterations) /
                                                             static_cast<double>(limit)),
                               .best_peak_bytes = shown.peak_bytes,
                               .best_recompute_us = shown.recompute_us,
                               .fits = best_ && answer_.fits});
  }
  return !answer_.is_out_of_time && !answer_.is_cancelled;
}

void Candidates::describe_last(std::string note) {
  if (last_is_best_) {
    answer_.note = std::move(note);
  }
}

std::optional<PlannerAnswer> Candidates::answer() const {
  return best_ ? std::optional<PlannerAnswer>(answer_) : std::nullopt;
}

}  // namespace reprise::plan
