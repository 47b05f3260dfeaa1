// SPDX-License-Identifier: Apache-2.0
// The best of several schedules for one request: what a planner that tries a few things keeps.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reprise/plan/planner.h"
#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"
#include "reprise/plan/simulate.h"

namespace reprise::plan {

// Which of two results a request prefers: one that fits over one that does not; of two that fit the
// faster, then the one with the lower peak; of two that do not the one with the lower peak, then
// the faster.
struct Outcome {
  std::int64_t peak_bytes = 0;
  double recompute_us = 0;
};
bool is_better(const Outcome& a, const Outcome& b, std::int64_t budget_bytes);
Outcome outcome_of(const Simulation& simulation);

// A schedule and what simulate() says of it.
struct JudgedSchedule {
  Schedule schedule;
  Outcome outcome;
};
JudgedSchedule judged(const Program& program, Schedule schedule);

// Judges schedules by simulate() and keeps the best, of equals the first. An iteration is a
// schedule.
class Candidates {
 public:
  // Both must outlive this object. `expected`: how many will be offered, for the progress reports.
  Candidates(const Program& program, const PlanRequest& request, std::int64_t expected);

  // Judges one, reports progress, and tells whether to go on: false after the last iteration or
  // second that the request allows, or when its caller cancels.
  bool offer(std::vector<Replays> replays);

  // The same without a schedule, for planners that take long over one. No more is reported once it
  // was false.
  bool goes_on();

  // What the last schedule offered costs.
  const Outcome& last() const { return last_; }
  bool last_fits() const { return last_.peak_bytes <= request_.budget_bytes; }

  // REQUIRES: one was offered.
  const Outcome& best() const { return *best_; }

  // Words for people about the best schedule: kept if the one just offered is the best so far.
  void describe_last(std::string note);

  // Nothing if none was offered.
  std::optional<PlannerAnswer> answer() const;

 private:
  const Program& program_;
  const PlanRequest& request_;
  std::int64_t expected_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Outcome last_;
  bool last_is_best_ = false;
  std::optional<Outcome> best_;
  PlannerAnswer answer_;
};

}  // namespace reprise::plan
