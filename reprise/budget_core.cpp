// SPDX-License-Identifier: Apache-2.0
#include "reprise/budget_core.h"

#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <c10/util/ScopeExit.h>

#include "reprise/plan/rebuild.h"
#include "reprise/plan/simulate.h"
#include "reprise/profile/build_program.h"
#include "reprise/profile/retimed_program.h"
#include "reprise/profile/step_error.h"

namespace reprise {
namespace {

// Measured peaks that are so much above the predicted one are planned for, a few times.
constexpr double kMissShare = 0.02;
constexpr std::int64_t kMissBytes = std::int64_t{1} << 20;
constexpr int kMostCorrections = 3;

// After a pass that departed, so many others may come before one that does is recorded: until then
// all are watched as closely.
constexpr int kMostPassesToRecord = 64;

// Passes that follow the first plan and tell what ops and replays take when all is warm.
constexpr std::size_t kTimedPasses = 3;

template <class Number>
void require_not_negative(const std::string& what, Number value) {
  if (!(value >= 0)) {
    throw std::invalid_argument("MemoryBudget: " + what + " must not be negative, got " +
                                std::to_string(value));
  }
}

// Of the values that backward needs and no recipe can make again.
std::int64_t not_replayable_bytes(const plan::Program& program) {
  std::vector<bool> is_counted(program.values.size(), false);
  std::int64_t bytes = 0;
  for (const plan::Use& use : program.uses) {
    for (const int need : use.needs) {
      const auto at = static_cast<std::size_t>(need);
      if (!is_counted[at] && program.is_counted(program.values[at]) &&
          !plan::is_rebuildable(program, need)) {
        bytes += program.values[at].bytes;
      }
      is_counted[at] = true;
    }
  }
  return bytes;
}

}  // namespace

struct MemoryBudget::Core::Run {
  std::int64_t start_bytes = 0;
  std::optional<std::int64_t> limit_bytes;
  KnownPass* known = nullptr;  // that is followed
  const PlannedPass* planned = nullptr;
  const tape::PlanFollower* follower = nullptr;  // owned by the pass, as the next
  const tape::OnlinePolicy* online = nullptr;
  std::unique_ptr<profile::StepRecorder> recorder;
  std::unique_ptr<tape::PassMeter> meter;
};

MemoryBudget::Core::Core(BudgetGoal goal, MemoryBudgetOptions options)
    : goal_(goal),
      options_(std::move(options)),
      memory_(tape::DeviceMemory::of(options_.device, "MemoryBudget")) {
  plan::find_planner(options_.planner);
  require_not_negative("iterations", options_.iterations);
  require_not_negative("time_limit_s", options_.time_limit_s);
  require_not_negative("headroom_bytes", options_.headroom_bytes);
  require_not_negative("most_replays_per_op", options_.most_replays_per_op);
  require_not_negative("objective.most_overhead", options_.objective.most_overhead.value_or(0));
  if (goal_.kind == BudgetGoal::Kind::kMinimum && options_.headroom_bytes > 0) {
    throw std::invalid_argument(
        "MemoryBudget: headroom_bytes must be 0 where the budget is the minimum, got " +
        std::to_string(options_.headroom_bytes));
  }
  if (options_.most_passes < 1) {
    throw std::invalid_argument("MemoryBudget: most_passes must be positive, got " +
                                std::to_string(options_.most_passes));
  }
}

void MemoryBudget::Core::begin_step() {
  const std::lock_guard lock(mutex_);
  const int process = getpid();
  if (std::exchange(process_in_step_, process) == process) {
    throw std::logic_error("MemoryBudget::step: another thread is in a step of this budget");
  }
  ++report_.steps;
}

void MemoryBudget::Core::end_step() {
  const std::lock_guard lock(mutex_);
  process_in_step_ = 0;
}

void MemoryBudget::Core::choose(KnownPass& known) {
  run_->limit_bytes = limit_of(&known, run_->start_bytes);
  run_->planned = &plan_for(known, run_->limit_bytes);
  run_->known = &known;
}

void MemoryBudget::Core::require_not_refused() const {
  if (run_->known != nullptr && is_refused(*run_->known, *run_->planned, run_->limit_bytes)) {
    refuse(*run_->known, *run_->planned, *run_->limit_bytes - run_->known->margin_bytes);
  }
}

// The pass that ran last, or, if no plan fits it and that has been told, the last one of those that
// fit: nothing yet says which pass this will be.
void MemoryBudget::Core::choose_known() {
  choose(known_.front());
  if (!is_refused(known_.front(), *run_->planned, run_->limit_bytes)) {
    known_.front().was_refused = false;
    return;
  }
  if (!std::exchange(known_.front().was_refused, true)) {
    require_not_refused();
  }
  for (auto known = std::next(known_.begin()); known != known_.end(); ++known) {
    choose(*known);
    if (!is_refused(*known, *run_->planned, run_->limit_bytes)) {
      known_.splice(known_.begin(), known_, known);
      return;
    }
  }
  choose(known_.front());
}

std::shared_ptr<const tape::PassPlan> MemoryBudget::Core::find_other_plan(std::size_t op,
                                                                          std::uint64_t hash) {
  const std::lock_guard lock(mutex_);
  const auto known = std::find_if(known_.begin(), known_.end(), [&](const KnownPass& each) {
    return op < each.identity.hashes_after_ops.size() && each.identity.hashes_after_ops[op] == hash;
  });
  if (known == known_.end()) {
    return nullptr;
  }
  choose(*known);
  known_.splice(known_.begin(), known_, known);
  require_not_refused();
  return run_->planned->plan;
}

void MemoryBudget::Core::choose_for(const std::shared_ptr<Run>& run) {
  const std::lock_guard lock(mutex_);
  run_ = run;
  auto forget_run = c10::make_scope_exit([this] { run_.reset(); });
  run->start_bytes = memory_.live_bytes();
  if (known_.empty()) {
    run->limit_bytes = limit_of(nullptr, run->start_bytes);
  } else {
    choose_known();
  }
  forget_run.release();
}

std::unique_ptr<tape::PassPolicy> MemoryBudget::Core::policy_of(Run& run) {
  tape::OnlineLimits limits{.memory = memory_, .most_replays_per_op = options_.most_replays_per_op};
  if (run.limit_bytes) {
    limits.most_live_bytes = run.start_bytes + *run.limit_bytes;
  }
  if (run.known == nullptr) {
    auto online = std::make_unique<tape::OnlinePolicy>(limits);
    run.online = online.get();
    return online;
  }
  auto follower = std::make_unique<tape::PlanFollower>(
      run.planned->plan,
      tape::PlanFollower::Callbacks{
          .find_other = [this](std::size_t op,
                               std::uint64_t hash) { return find_other_plan(op, hash); },
          .before_backward = [this] { require_not_refused(); }},
      limits);
  run.follower = follower.get();
  return follower;
}

// A pass is called under our lock nowhere: it calls us under its own.
std::shared_ptr<tape::Pass> MemoryBudget::Core::begin_pass() {
  const auto run = std::make_shared<Run>();  // owned with this, until the pass ends
  choose_for(run);
  auto pass = std::make_shared<tape::Pass>(policy_of(*run),
                                           run->known != nullptr ? run->known->expected : nullptr);
  if (options_.checks_ops) {
    pass->check_ops();
  }
  if (run->known == nullptr || passes_to_record_ > 0) {
    run->recorder = std::make_unique<profile::StepRecorder>(*pass, memory_, names_);
  } else {
    // On other devices ops run later than they are called.
    const bool is_to_be_timed =
        options_.device.is_cpu() && !run->known->is_timed && run->planned->result.replays > 0;
    run->meter = std::make_unique<tape::PassMeter>(*pass, memory_, is_to_be_timed);
  }
  return pass;
}

void MemoryBudget::Core::learn(tape::Pass& pass, profile::RecordedPass recorded) {
  if (recorded.fault.empty() && recorded.trace.uses.empty()) {
    recorded.fault = "no backward has run";
  }
  if (pass.has_failed()) {
    recorded.fault = "an exception has ended its backward";
  }
  if (!recorded.fault.empty()) {
    report_.unplanned_because = recorded.fault;
    return;
  }
  try {
    profile::BuiltProgram built = profile::build_program(recorded.trace);
    KnownPass known{.program = std::move(built.program),
                    .identity = profile::identify(pass, recorded, built),
                    .expected = pass.expected_again(),
                    .plans = {},
                    .times = {},
                    .is_timed = false,
                    .retimed = {}};
    known.keep_all_peak_bytes = plan::simulate_keep_all(known.program).peak_bytes;
    known.not_replayable_bytes = not_replayable_bytes(known.program);
    std::erase_if(known_, [&](const KnownPass& each) {
      return each.identity.forward_hash == known.identity.forward_hash;
    });
    known_.push_front(std::move(known));
  } catch (const profile::StepError& error) {
    report_.unplanned_because = error.what();
    return;
  }
  report_.unplanned_because.clear();
  while (static_cast<int>(known_.size()) > options_.most_passes) {
    known_.pop_back();
  }
}

void MemoryBudget::Core::note(const Run& run, const tape::Pass& pass) {
  PassReport& last = report_.last;
  last = {};
  last.plan = "unplanned";
  last.limit_bytes = run.limit_bytes.value_or(0);
  last.peak_bytes = run.recorder ? run.recorder->peak_bytes() : run.meter->peak_bytes();
  last.total_peak_bytes = run.start_bytes + last.peak_bytes;
  last.replayed_ops = pass.recomputed_ops();
  last.recompute_us = run.recorder ? run.recorder->replay_us() : run.meter->times().replay_us;
  last.pass_us = run.recorder ? run.recorder->pass_us() : run.meter->times().pass_us;
  last.replay_state_bytes = pass.kept_bytes();
  last.has_departed = run.follower != nullptr && run.follower->has_departed();
  if (const tape::OnlinePolicy* const online =
          run.follower != nullptr ? run.follower->fallback() : run.online) {
    last.evictions = online->evictions();
    last.is_thrashing = online->is_thrashing();
  }
  ++report_.passes;
  report_.departures += last.has_departed ? 1 : 0;
  report_.thrashed += last.is_thrashing ? 1 : 0;
  report_.overruns += run.limit_bytes && last.peak_bytes > *run.limit_bytes ? 1 : 0;
  if (run.planned != nullptr) {
    last.plan = run.planned->result.planner;
    last.predicted_peak_bytes = run.planned->peak_bytes;
    last.keep_all_peak_bytes = run.known->keep_all_peak_bytes;
    last.predicted_recompute_us = run.planned->recompute_us;
    last.predicted_overhead = run.planned->overhead;
    last.is_above_overhead =
        !options_.schedule &&
        run.planned->overhead > options_.objective.most_overhead.value_or(run.planned->overhead);
    last.held_bytes = run.known->program.resident_bytes;
    last.not_replayable_bytes = run.known->not_replayable_bytes;
    ++report_.planned_passes;
  }
}

// Something takes more than it did when the pass was recorded: plans for less.
void MemoryBudget::Core::correct(const Run& run) {
  KnownPass* const known = run.known;
  if (known == nullptr || report_.last.has_departed || known->corrections == kMostCorrections) {
    return;
  }
  const std::int64_t miss = report_.last.peak_bytes - report_.last.predicted_peak_bytes;
  const auto share = static_cast<std::int64_t>(
      kMissShare * static_cast<double>(report_.last.predicted_peak_bytes));
  if (miss - known->margin_bytes <= std::min(kMissBytes, share)) {
    return;
  }
  known->margin_bytes = miss;
  known->plans.clear();
  ++known->corrections;
  ++report_.corrections;
}

// Plans anew once it is known what ops take when all is warm.
void MemoryBudget::Core::retime(const Run& run) const {
  KnownPass* const known = run.known;
  if (known == nullptr || !run.meter || report_.last.has_departed) {
    return;
  }
  const tape::PassTimes& times = run.meter->times();
  if (static_cast<std::int64_t>(times.op_us.size()) != known->program.ops()) {
    return;  // not to be timed
  }
  if (!times.is_whole) {
    known->is_timed = true;  // as well as it can be
    return;
  }
  known->times.push_back(times);
  if (known->times.size() == kTimedPasses) {
    known->retimed = profile::retimed_program(known->program, run.planned->schedule, known->times);
    known->times.clear();
    known->is_timed = true;
  }
}

void MemoryBudget::Core::end_pass(const std::shared_ptr<tape::Pass>& pass) {
  const std::shared_ptr<Run> run = std::exchange(run_, nullptr);
  if (!run) {
    return;
  }
  const bool is_known = run->follower != nullptr && !run->follower->has_departed();
  // Ops between passes and after the last: a loss that is read, a gradient that is copied.
  if (!pass->has_saved()) {
    return;
  }
  std::optional<profile::RecordedPass> recorded;
  if (run->recorder && !is_known) {
    recorded = run->recorder->finish();
  }
  const std::lock_guard lock(mutex_);
  if (recorded) {
    learn(*pass, *std::move(recorded));
    run->known = nullptr;  // may be gone
    run->planned = nullptr;
  }
  note(*run, *pass);
  retime(*run);
  correct(*run);
  if (is_known) {
    passes_to_record_ = std::max(0, passes_to_record_ - 1);
  } else {
    passes_to_record_ = run->recorder ? 0 : kMostPassesToRecord;
  }
}

void MemoryBudget::Core::note_unplanned(const std::string& because) {
  const std::lock_guard lock(mutex_);
  report_.unplanned_because = because;
}

void MemoryBudget::Core::name(const std::string& path, const at::Tensor& tensor) {
  const std::lock_guard lock(mutex_);
  names_.add(path, tensor);
}

std::optional<plan::Program> MemoryBudget::Core::program() const {
  const std::lock_guard lock(mutex_);
  return known_.empty() ? std::nullopt : std::optional(known_.front().program);
}

std::optional<plan::Schedule> MemoryBudget::Core::schedule() const {
  const std::lock_guard lock(mutex_);
  return known_.empty() || known_.front().plans.empty()
             ? std::nullopt
             : std::optional(known_.front().plans.back().schedule);
}

std::vector<plan::Schedule> MemoryBudget::Core::schedules() const {
  const std::lock_guard lock(mutex_);
  std::vector<plan::Schedule> schedules;
  for (const KnownPass& known : known_) {
    for (const PlannedPass& planned : known.plans) {
      schedules.push_back(planned.schedule);
    }
  }
  return schedules;
}

void MemoryBudget::Core::reuse(std::vector<plan::Schedule> schedules) {
  const std::lock_guard lock(mutex_);
  reusable_ = std::move(schedules);
}

BudgetReport MemoryBudget::Core::report() const {
  const std::lock_guard lock(mutex_);
  BudgetReport report = report_;
  const auto known = std::find_if(known_.begin(), known_.end(),
                                  [](const KnownPass& each) { return !each.plans.empty(); });
  if (known == known_.end()) {
    return report;
  }
  const plan::Program& program = known->program;
  for (const plan::ValueFate& fate : plan::value_fates(program, known->plans.back().schedule)) {
    const plan::Value& value = program.values[static_cast<std::size_t>(fate.value)];
    report.values.push_back(
        {.bytes = value.bytes,
         .shape = value.shape,
         .dtype = value.dtype,
         .op = value.recipe == plan::kNoRecipe
                   ? ""
                   : program.recipes[static_cast<std::size_t>(value.recipe)].name,
         .label = value.label,
         .action = fate.action,
         .why = fate.why});
  }
  return report;
}

}  // namespace reprise
