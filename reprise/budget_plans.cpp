// SPDX-License-Identifier: Apache-2.0
// Of a MemoryBudget: what a pass may take, its plans, and which of them fit.
#include <algorithm>
#include <chrono>
#include <utility>

#include "reprise/budget_core.h"
#include "reprise/plan/format_bytes.h"
#include "reprise/plan/hash.h"
#include "reprise/plan/simulate.h"
#include "reprise/plan/smallest_peak.h"
#include "reprise/tape/frame.h"
#include "reprise/tape/raise.h"

namespace reprise {
namespace {

constexpr std::size_t kMostPlansPerPass = 4;  // for different limits

// A plan may be for a little less than there is: what is live when a pass begins varies.
constexpr std::int64_t kSlackBytes = std::int64_t{1} << 16;
constexpr double kSlackShare = 0.01;

bool is_good_for(const PlannedPass& planned, std::optional<std::int64_t> limit_bytes) {
  if (!limit_bytes) {
    return true;
  }
  if (!planned.result.schedule) {
    return *limit_bytes < planned.peak_bytes;
  }
  if (planned.limit_bytes > *limit_bytes) {
    return planned.peak_bytes <= *limit_bytes;
  }
  const auto most_unused = std::max(
      kSlackBytes, static_cast<std::int64_t>(kSlackShare * static_cast<double>(*limit_bytes)));
  return planned.result.replays == 0 || *limit_bytes - planned.limit_bytes <= most_unused;
}

}  // namespace

// What a pass may take above its start; nothing if that is not known yet.
std::optional<std::int64_t> MemoryBudget::Core::limit_of(const KnownPass* known,
                                                         std::int64_t live_bytes) const {
  switch (goal_.kind) {
    case BudgetGoal::Kind::kTotal:
      return goal_.bytes - options_.headroom_bytes - live_bytes;
    case BudgetGoal::Kind::kAboveStart:
      return goal_.bytes - options_.headroom_bytes;
    case BudgetGoal::Kind::kShare:
      if (known != nullptr) {
        return static_cast<std::int64_t>(goal_.share *
                                         static_cast<double>(known->keep_all_peak_bytes)) -
               options_.headroom_bytes;
      }
      return std::nullopt;
    case BudgetGoal::Kind::kMinimum:
      return std::nullopt;
  }
  return std::nullopt;
}

plan::PlanRequest MemoryBudget::Core::request_for(std::optional<std::int64_t> limit_bytes) const {
  plan::PlanRequest request;
  request.budget_bytes = std::max<std::int64_t>(1, limit_bytes.value_or(1));
  request.iterations = options_.iterations;
  request.time_limit_s = options_.time_limit_s;
  request.wants_bound = false;
  if (options_.on_progress) {
    request.on_progress = [this](const plan::PlanProgress& progress) {
      const tape::FramesAside aside;  // it may train another model
      options_.on_progress(progress);
      return true;
    };
  }
  return request;
}

plan::Schedule MemoryBudget::Core::given_schedule(const KnownPass& known) const {
  if (const auto fault = plan::find_fault(known.program, *options_.schedule)) {
    tape::raise(BudgetError("MemoryBudget: the given schedule does not fit this step: " +
                                fault->path + ": " + fault->what,
                            0));
  }
  return *options_.schedule;
}

plan::PlanResult MemoryBudget::Core::ask_planner(const KnownPass& known,
                                                 std::optional<std::int64_t> limit_bytes) const {
  plan::PlanRequest request = request_for(limit_bytes);
  if (options_.objective.most_overhead) {
    request.budget_bytes = limit_bytes ? request.budget_bytes : known.keep_all_peak_bytes;
    return plan::make_smallest_plan(known.program, options_.planner, request,
                                    *options_.objective.most_overhead);
  }
  const bool fits_all = limit_bytes && known.keep_all_peak_bytes <= *limit_bytes;
  return plan::make_plan(known.program, fits_all ? "keep_all" : options_.planner, request);
}

// One that fits the limit; without a limit, one that was made for the lowest peak.
std::optional<PlannedPass> MemoryBudget::Core::find_reusable(
    const KnownPass& known, std::optional<std::int64_t> limit_bytes) const {
  if (reusable_.empty() || options_.objective.most_overhead) {
    return std::nullopt;
  }
  const std::string hash = plan::program_hash(known.program);
  for (const plan::Schedule& schedule : reusable_) {
    if (schedule.program_hash != hash || plan::find_fault(known.program, schedule)) {
      continue;
    }
    PlannedPass planned{
        .limit_bytes = schedule.budget_bytes, .result = {}, .schedule = schedule, .plan = nullptr};
    planned.peak_bytes = plan::simulate(known.program, schedule).peak_bytes;
    const bool fits_its_budget = planned.peak_bytes <= planned.limit_bytes;
    planned.result.planner = schedule.planner;
    planned.result.replays = static_cast<std::int64_t>(schedule.replays.size());
    if (fits_its_budget) {
      planned.result.schedule = schedule;
    }
    if (limit_bytes ? is_good_for(planned, limit_bytes)
                    : planned.peak_bytes >= schedule.budget_bytes) {
      return planned;
    }
  }
  return std::nullopt;
}

PlannedPass MemoryBudget::Core::make_plan(const KnownPass& known,
                                          std::optional<std::int64_t> limit_bytes) {
  PlannedPass planned{
      .limit_bytes = limit_bytes.value_or(0), .result = {}, .schedule = {}, .plan = nullptr};
  if (options_.schedule) {
    planned.schedule = given_schedule(known);
    planned.result.schedule = planned.schedule;
    planned.result.planner = planned.schedule.planner;
  } else if (auto reusable = find_reusable(known, limit_bytes)) {
    planned = *std::move(reusable);
  } else {
    const auto began = std::chrono::steady_clock::now();
    planned.result = ask_planner(known, limit_bytes);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    report_.plan_ms += took.count();
    ++report_.plans;
    if (planned.result.schedule) {
      planned.schedule = *planned.result.schedule;
    } else if (planned.result.minimum) {
      planned.schedule = planned.result.minimum->schedule;
    }
  }
  const plan::Simulation simulation = plan::simulate(known.program, planned.schedule);
  planned.peak_bytes = simulation.peak_bytes;
  planned.recompute_us = simulation.recompute_us;
  planned.overhead = simulation.overhead;
  planned.plan = std::make_shared<tape::PassPlan>(
      profile::make_pass_plan(known.program, planned.schedule, known.identity));
  return planned;
}

void MemoryBudget::Core::refuse(const KnownPass& known, const PlannedPass& planned,
                                std::int64_t limit_bytes) const {
  const std::int64_t reserved = options_.headroom_bytes + known.margin_bytes;
  const std::int64_t live_bytes =
      goal_.kind == BudgetGoal::Kind::kTotal ? goal_.bytes - reserved - limit_bytes : 0;
  const std::int64_t needed = live_bytes + reserved + planned.peak_bytes;
  std::string why = "with everything dropped that can be";
  if (options_.schedule) {
    why = "the given schedule";
  } else if (planned.result.minimum) {
    why = planned.result.minimum->reason.place;
  }
  std::string what = "MemoryBudget: expected at least " + format_bytes(needed) + " (" +
                     std::to_string(needed) + " bytes), got " +
                     format_bytes(live_bytes + reserved + limit_bytes) + ": " + why + " needs " +
                     format_bytes(planned.peak_bytes);
  const std::int64_t unplanned_bytes =
      planned.result.minimum ? planned.result.minimum->reason.background_bytes : 0;
  if (2 * unplanned_bytes >= planned.peak_bytes) {
    what += ", " + format_bytes(unplanned_bytes) +
            " of it gradients and temporaries that no plan controls,";
  }
  what += goal_.kind == BudgetGoal::Kind::kTotal
              ? " beside the " + format_bytes(live_bytes) + " that were live before the step"
              : " above what was live before the step";
  if (reserved > 0) {
    what += " and " + format_bytes(reserved) + " of headroom";
  }
  tape::raise(BudgetError(what, needed));
}

const PlannedPass& MemoryBudget::Core::plan_for(KnownPass& known,
                                                std::optional<std::int64_t> limit_bytes) {
  if (limit_bytes) {
    *limit_bytes -= known.margin_bytes;
  }
  if (known.retimed) {
    known.program = *std::exchange(known.retimed, std::nullopt);
    known.plans.clear();
  }
  auto planned = std::find_if(known.plans.begin(), known.plans.end(),
                              [&](const auto& each) { return is_good_for(each, limit_bytes); });
  if (planned == known.plans.end()) {
    if (known.plans.size() == kMostPlansPerPass) {
      known.plans.erase(known.plans.begin());
    }
    known.plans.push_back(make_plan(known, limit_bytes));
    planned = known.plans.end() - 1;
  }
  std::rotate(planned, planned + 1, known.plans.end());
  return known.plans.back();
}

bool MemoryBudget::Core::is_refused(const KnownPass& known, const PlannedPass& planned,
                                    std::optional<std::int64_t> limit_bytes) const {
  return options_.is_hard && limit_bytes &&
         (!planned.result.schedule || planned.peak_bytes > *limit_bytes - known.margin_bytes);
}

}  // namespace reprise
