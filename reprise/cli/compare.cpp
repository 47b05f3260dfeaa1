// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/compare.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "reprise/cli/checksum.h"
#include "reprise/cli/model_state.h"
#include "reprise/cli/step_times.h"
#include "reprise/cli/training_budget.h"

namespace reprise::cli {
namespace {

// The first step makes the optimizer's state, which is alive from then on; the second is like all
// that follow. Under a budget the first is recorded, and in the second what is live when a pass
// begins may still differ from what it is in the third, and so the plan.
constexpr std::int64_t kMemorySteps = 2;
constexpr std::int64_t kBudgetMemorySteps = 3;

struct Contender {
  RunRecord record;
  zoo::RegionPlacement placement;
  std::optional<BudgetPolicy> budget_policy;
  std::optional<MemoryBudget> budget;  // that times are measured under: it has its plan
  StepTimes times;

  std::int64_t memory_steps() const { return budget_policy ? kBudgetMemorySteps : kMemorySteps; }
};

// Progress over all steps of all policies.
class Steps {
 public:
  Steps(const TrainSetup& setup, const std::vector<Contender>& contenders,
        const StepListener& listener)
      : setup_(setup), listener_(listener) {
    for (const Contender& contender : contenders) {
      total_ += contender.memory_steps() + setup.steps;
    }
  }

  // A step of the contender's model, on the batches of step number `step`.
  StepResult run(Trainer& trainer, const Contender& contender, const std::string& remark,
                 std::int64_t step) {
    const std::string& policy = contender.record.policy;
    const StepResult result = with_refusals(contender.budget_policy, "--compare: " + policy, [&] {
      return trainer.step(setup_.step_batches(step));
    });
    listener_(policy + remark, ++done_, total_, result);
    return result;
  }

 private:
  const TrainSetup& setup_;
  std::int64_t done_ = 0;
  std::int64_t total_ = 0;
  const StepListener& listener_;
};

// Before anything is trained, so that a policy that the model cannot follow is refused at once.
std::vector<Contender> place_all(const TrainSetup& setup,
                                 const std::vector<std::string>& policies) {
  Trainer trainer = setup.make_trainer();
  std::vector<Contender> contenders;
  for (const std::string& policy : policies) {
    Contender contender;
    contender.record.policy = policy;
    contender.budget_policy = read_budget_policy(policy, "--compare");
    if (contender.budget_policy) {
      contender.budget = make_budget(*contender.budget_policy);
    } else {
      contender.placement = place_policy_option("compare", policy, trainer, setup);
    }
    contenders.push_back(std::move(contender));
  }
  return contenders;
}

bool is_in_bytes(const std::optional<BudgetPolicy>& policy) {
  return policy && policy->budget && policy->budget->kind == Budget::Kind::kBytes;
}

// The budget under which the trainer has just been stepped, for when others are alive beside it:
// the number of bytes of all that is live becomes one above the start, and has its plan as well.
std::optional<MemoryBudget> budget_among_others(const TrainSetup& setup, Trainer& trainer,
                                                const Contender& contender) {
  if (!is_in_bytes(contender.budget_policy)) {
    return std::move(trainer.budget());
  }
  trainer.set_budget(above_start_like(*trainer.budget(), *contender.budget_policy));
  for (std::int64_t step = 0; step < kMemorySteps; ++step) {
    trainer.step(setup.step_batches(step));
  }
  return std::move(trainer.budget());
}

void measure_memory(const TrainSetup& setup, Contender& contender, Steps& steps) {
  const std::string policy = contender.record.policy;
  Trainer trainer = setup.make_trainer();
  trainer.place(contender.placement);
  trainer.set_budget(std::move(contender.budget));
  StepResult result;
  for (std::int64_t step = 0; step < contender.memory_steps(); ++step) {
    trainer.region_stats().clear();
    result = steps.run(trainer, contender, ", memory", step);
  }
  contender.record = describe_run(policy, trainer, result);
  contender.record.peak_bytes = result.peak_bytes;
  contender.record.total_peak_bytes = result.total_peak_bytes;
  contender.budget = budget_among_others(setup, trainer, contender);
}

// Each round takes one step of each; the one that goes first changes, as being first may cost.
void measure_time(const TrainSetup& setup, std::vector<Trainer>& trainers,
                  std::vector<Contender>& contenders, Steps& steps) {
  for (std::int64_t step = 0; step < setup.steps; ++step) {
    for (std::size_t i = 0; i < trainers.size(); ++i) {
      const std::size_t at = (static_cast<std::size_t>(step) + i) % trainers.size();
      Contender& contender = contenders[at];
      const StepResult result = steps.run(trainers[at], contender, "", step);
      contender.record.loss = result.loss;
      if (step >= setup.warmup_steps && result.is_typical()) {
        contender.times.add(result);
      }
    }
  }
}

void compare_with(const RunRecord& baseline, RunRecord& record) {
  record.baseline_peak_bytes = baseline.peak_bytes;
  if (record.step_ms > 0 && baseline.step_ms > 0) {
    record.overhead = record.step_ms / baseline.step_ms - 1;
    record.cpu_overhead = record.step_cpu_ms / baseline.step_cpu_ms - 1;
  }
}

}  // namespace

std::vector<RunRecord> compare_policies(const TrainSetup& setup,
                                        const std::vector<std::string>& policies,
                                        const StepListener& listener) {
  std::vector<Contender> contenders = place_all(setup, policies);
  Steps steps(setup, contenders, listener);
  for (Contender& contender : contenders) {
    measure_memory(setup, contender, steps);
  }

  std::vector<Trainer> trainers;
  for (Contender& contender : contenders) {
    trainers.push_back(setup.make_trainer());
    trainers.back().place(contender.placement);
    trainers.back().set_budget(std::move(contender.budget));
  }
  measure_time(setup, trainers, contenders, steps);

  const auto plain = static_cast<std::size_t>(std::find(policies.begin(), policies.end(), "none") -
                                              policies.begin());
  std::vector<RunRecord> records;
  for (std::size_t i = 0; i < trainers.size(); ++i) {
    RunRecord& record = contenders[i].record;
    record.step_ms = contenders[i].times.median_wall_ms();
    record.step_cpu_ms = contenders[i].times.median_cpu_ms();
    record.units_per_s = items_per_second(setup, record.step_ms);
    record.bit_equal = has_equal_state(trainers[i].model(), trainers[plain].model());
    record.state_crc32 = crc32_text(state_crc32(trainers[i].model()));
    records.push_back(record);
  }
  const RunRecord baseline = records[plain];
  for (RunRecord& record : records) {
    compare_with(baseline, record);
  }
  return records;
}

}  // namespace reprise::cli
