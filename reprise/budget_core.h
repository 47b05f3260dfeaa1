// SPDX-License-Identifier: Apache-2.0
// What is behind a MemoryBudget: the passes that it knows, their plans, and the pass under way.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "reprise/memory_budget.h"
#include "reprise/plan/planners.h"
#include "reprise/profile/make_pass_plan.h"
#include "reprise/profile/parameter_names.h"
#include "reprise/profile/step_recorder.h"
#include "reprise/tape/device_memory.h"
#include "reprise/tape/online_policy.h"
#include "reprise/tape/pass.h"
#include "reprise/tape/pass_meter.h"
#include "reprise/tape/patient_mutex.h"
#include "reprise/tape/plan_follower.h"

namespace reprise {

struct BudgetGoal {
  enum class Kind { kTotal, kAboveStart, kShare, kMinimum };
  Kind kind = Kind::kTotal;
  std::int64_t bytes = 0;  // kTotal, kAboveStart
  double share = 0;        // kShare
};

// A plan for a number of bytes above the start of a pass.
struct PlannedPass {
  std::int64_t limit_bytes = 0;
  plan::PlanResult result;
  // That fits the limit or, in its absence, has the lowest peak that was found.
  plan::Schedule schedule;
  std::int64_t peak_bytes = 0;  // of the schedule, as the next two
  double recompute_us = 0;
  double overhead = 0;
  std::shared_ptr<const tape::PassPlan> plan;  // shared with the passes that follow it
};

// A pass that was recorded.
struct KnownPass {
  plan::Program program;
  profile::PassIdentity identity;
  std::shared_ptr<const tape::ExpectedRun> expected;  // shared with the passes that repeat it
  std::int64_t keep_all_peak_bytes = 0;
  std::int64_t not_replayable_bytes = 0;
  // By which a measured peak was above the predicted one: planned for from then on.
  std::int64_t margin_bytes = 0;
  int corrections = 0;
  bool was_refused = false;        // the last time that it was to run
  std::vector<PlannedPass> plans;  // last used last
  // Of the first passes that followed a plan, until there are enough; then the program with the
  // costs that they showed, to be planned anew when the next pass begins.
  std::vector<tape::PassTimes> times;
  bool is_timed = false;
  std::optional<plan::Program> retimed;
};

class MemoryBudget::Core {
 public:
  Core(BudgetGoal goal, MemoryBudgetOptions options);

  bool is_of_cpu() const { return memory_.device().is_cpu(); }
  void begin_step();
  void end_step();
  std::shared_ptr<tape::Pass> begin_pass();
  void end_pass(const std::shared_ptr<tape::Pass>& pass);
  void note_unplanned(const std::string& because);
  void name(const std::string& path, const at::Tensor& tensor);
  BudgetReport report() const;
  std::optional<plan::Program> program() const;
  std::optional<plan::Schedule> schedule() const;
  std::vector<plan::Schedule> schedules() const;
  void reuse(std::vector<plan::Schedule> schedules);

 private:
  // The pass under way.
  struct Run;

  std::optional<std::int64_t> limit_of(const KnownPass* known, std::int64_t live_bytes) const;
  void choose_for(const std::shared_ptr<Run>& run);
  void choose_known();
  void choose(KnownPass& known);
  bool is_refused(const KnownPass& known, const PlannedPass& planned,
                  std::optional<std::int64_t> limit_bytes) const;
  // Throws BudgetError if the pass that is followed is known not to fit.
  void require_not_refused() const;
  std::unique_ptr<tape::PassPolicy> policy_of(Run& run);
  const PlannedPass& plan_for(KnownPass& known, std::optional<std::int64_t> limit_bytes);
  [[noreturn]] void refuse(const KnownPass& known, const PlannedPass& planned,
                           std::int64_t limit_bytes) const;
  plan::PlanRequest request_for(std::optional<std::int64_t> limit_bytes) const;
  plan::PlanResult ask_planner(const KnownPass& known,
                               std::optional<std::int64_t> limit_bytes) const;
  plan::Schedule given_schedule(const KnownPass& known) const;
  std::optional<PlannedPass> find_reusable(const KnownPass& known,
                                           std::optional<std::int64_t> limit_bytes) const;
  PlannedPass make_plan(const KnownPass& known, std::optional<std::int64_t> limit_bytes);
  std::shared_ptr<const tape::PassPlan> find_other_plan(std::size_t op, std::uint64_t hash);
  void learn(tape::Pass& pass, profile::RecordedPass recorded);
  void note(const Run& run, const tape::Pass& pass);
  void correct(const Run& run);
  void retime(const Run& run) const;

  mutable tape::PatientMutex mutex_;  // recursive: `on_progress` may ask for a report
  int process_in_step_ = 0;           // its id; a forked child is in no step of its parent
  BudgetGoal goal_;
  MemoryBudgetOptions options_;
  tape::DeviceMemory& memory_;
  profile::ParameterNames names_;
  std::list<KnownPass> known_;  // last used first
  std::vector<plan::Schedule> reusable_;
  std::shared_ptr<Run> run_;  // owned with the callbacks of its policy
  int passes_to_record_ = 0;  // or until one departs again
  BudgetReport report_;
};

}  // namespace reprise
