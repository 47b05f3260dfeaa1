// SPDX-License-Identifier: Apache-2.0
// What every planner is asked, and what it answers. docs/adding_a_planner.md walks through a new
// one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"

namespace reprise::plan {

// How far a planner has come.
struct PlanProgress {
  std::int64_t iterations = 0;
  double fraction = 0;               // done of the limits that were set, in [0, 1]
  std::int64_t best_peak_bytes = 0;  // of the best schedule so far
  double best_recompute_us = 0;
  bool fits = false;  // whether that schedule fits the budget
};

struct PlanRequest {
  std::int64_t budget_bytes = 0;
  // Limited by iterations a plan is reproducible; what an iteration is, the planner says. 0: its
  // own default.
  std::int64_t iterations = 0;
  // Stops earlier, at a point that depends on the machine. 0: no limit.
  double time_limit_s = 0;
  std::uint64_t seed = 1;
  // Whether make_plan() works out recompute_bound_us(), which takes up to a second, and at most a
  // quarter of a time limit.
  bool wants_bound = true;
  // Named in the planner's record (planners.h); others throw std::invalid_argument.
  std::map<std::string, std::string> options = {};
  // Called now and then, from the calling thread, while the bound is worked out too, when nothing
  // is known yet; false cancels: the best schedule so far is the answer.
  std::function<bool(const PlanProgress&)> on_progress = {};
};

// Why no schedule of ours needs less than some budget: one slot and what it holds.
struct PeakReason {
  std::string
      place;  // "forward op 12", "use 40 (SoftmaxBackward0)", "recipe 3 (aten::mm) before use 40"
  std::int64_t background_bytes = 0;  // what no plan controls
  std::vector<int> values;            // what must be there, largest first
};

struct MinimumBudget {
  std::int64_t budget_bytes = 0;
  PeakReason reason;
  Schedule schedule;       // that meets it
  bool is_least = false;   // the planner vouches that it meets no smaller one
  bool is_proved = false;  // no schedule at all meets less
};

// A planner's raw answer: `replays` in a schedule; everything else is filled in by make_plan().
struct PlannerAnswer {
  Schedule schedule;
  // Whether the schedule fits the budget. If not, it is the one with the lowest peak that the
  // planner found.
  bool fits = true;
  // Only if it does not fit: the answer to every budget that is too small for the planner, unless
  // it is stopped; it has a plan for every other. Where this is not said, make_plan() asks for the
  // floor, and then for less than what was found, to name a minimum.
  bool is_minimum = false;
  // No schedule within the budget is faster; if none fits, none has a lower peak.
  bool is_proved = false;
  std::int64_t iterations = 0;
  bool is_cancelled = false;
  bool is_out_of_time = false;
  std::string note;  // for people: what was picked and why
};

// REQUIRES of find(): the program has no fault; budget_bytes >= the program's floor; options are
// known.
class Planner {
 public:
  virtual ~Planner() = default;

  // The fastest schedule within the budget that this planner finds, else the one with the lowest
  // peak that it finds, else nothing. Deterministic unless a time limit or a cancellation stopped
  // it.
  virtual std::optional<PlannerAnswer> find(const Program& program,
                                            const PlanRequest& request) const = 0;
};

}  // namespace reprise::plan
