// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/step_times.h"

#include <algorithm>

namespace reprise::cli {
namespace {

double median(std::vector<double> numbers) {
  if (numbers.empty()) {
    return 0;
  }
  std::sort(numbers.begin(), numbers.end());
  const std::size_t middle = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[middle] : (numbers[middle - 1] + numbers[middle]) / 2;
}

std::string plan_text(const zoo::Model& model) {
  switch (model.placement().scope) {
    case zoo::RegionScope::kAttention:
      return "attention of each block";
    case zoo::RegionScope::kFeedForward:
      return "feed-forward of each block";
    case zoo::RegionScope::kBlocks:
      break;
  }
  return model.placement().segments.text();
}

// "47 replays before 12 uses, by search".
std::string plan_text(const plan::Schedule& schedule) {
  std::size_t replays = 0;
  for (const plan::Replays& each : schedule.replays) {
    replays += each.recipes.size();
  }
  return std::to_string(replays) + " replays before " + std::to_string(schedule.replays.size()) +
         " uses, by " + schedule.planner;
}

void describe_budget(const MemoryBudget& budget, RunRecord& record) {
  const BudgetReport report = budget.report();
  BudgetRecord described{.pass_peak_bytes = report.last.peak_bytes,
                         .plan_ms = report.plan_ms,
                         .departures = report.departures};
  if (report.last.limit_bytes != 0) {
    described.budget_bytes = report.last.limit_bytes;
  }
  record.segment_plan = "no plan";
  if (!report.unplanned_because.empty()) {
    record.segment_plan += ": " + report.unplanned_because;
  }
  const std::optional<plan::Schedule> schedule = budget.schedule();
  if (report.last.predicted_peak_bytes > 0 && schedule) {
    described.predicted_peak_bytes = report.last.predicted_peak_bytes;
    described.predicted_overhead = report.last.predicted_overhead;
    record.segments = static_cast<std::int64_t>(schedule->replays.size());
    record.segment_plan = plan_text(*schedule);
  }
  record.budget = described;
}

}  // namespace

void StepTimes::add(const StepResult& result) {
  wall_ms_.push_back(result.wall_ms);
  cpu_ms_.push_back(result.cpu_ms);
}

double StepTimes::median_wall_ms() const { return median(wall_ms_); }

double StepTimes::median_cpu_ms() const { return median(cpu_ms_); }

RunRecord describe_run(const std::string& policy, Trainer& trainer, const StepResult& last) {
  const tape::RegionCounts counts = trainer.region_stats().total();
  RunRecord record;
  record.policy = policy;
  record.segments = trainer.model().regions();
  record.segment_plan = plan_text(trainer.model());
  record.reruns = counts.reruns;
  record.recomputed_ops = counts.recomputed_ops;
  if (trainer.budget()) {
    record.recomputed_ops += last.replayed_ops;
    describe_budget(*trainer.budget(), record);
  }
  return record;
}

double items_per_second(const TrainSetup& setup, double step_ms) {
  const auto items = static_cast<double>(setup.accumulate * setup.data->items_per_batch());
  return step_ms > 0 ? 1e3 * items / step_ms : 0;
}

}  // namespace reprise::cli
