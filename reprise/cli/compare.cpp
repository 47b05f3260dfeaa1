// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/compare.h"

#include <algorithm>

#include "reprise/cli/checksum.h"
#include "reprise/cli/model_state.h"
#include "reprise/cli/step_times.h"

namespace reprise::cli {
namespace {

// The first step makes the optimizer's state, which is alive from then on; the second is like all
// that follow.
constexpr std::int64_t kMemorySteps = 2;

struct Contender {
  RunRecord record;
  zoo::RegionPlacement placement;
  StepTimes times;
};

// Progress over all steps of all policies.
class Steps {
 public:
  Steps(const TrainSetup& setup, std::size_t policies, const StepListener& listener)
      : setup_(setup),
        total_(static_cast<std::int64_t>(policies) * (kMemorySteps + setup.steps)),
        listener_(listener) {}

  StepResult run(Trainer& trainer, const std::string& label, std::int64_t step) {
    const StepResult result = trainer.step(setup_.step_batches(step));
    listener_(label, ++done_, total_, result);
    return result;
  }

 private:
  const TrainSetup& setup_;
  std::int64_t done_ = 0;
  std::int64_t total_;
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
    contender.placement = place_policy_option("compare", policy, trainer, setup);
    contenders.push_back(contender);
  }
  return contenders;
}

void measure_memory(const TrainSetup& setup, Contender& contender, Steps& steps) {
  const std::string policy = contender.record.policy;
  Trainer trainer = setup.make_trainer();
  trainer.place(contender.placement);
  StepResult result;
  for (std::int64_t step = 0; step < kMemorySteps; ++step) {
    trainer.region_stats().clear();
    result = steps.run(trainer, policy + ", memory", step);
  }
  contender.record = describe_run(policy, trainer);
  contender.record.peak_bytes = result.peak_bytes;
  contender.record.total_peak_bytes = result.total_peak_bytes;
}

// Each round takes one step of each; the one that goes first changes, as being first may cost.
void measure_time(const TrainSetup& setup, std::vector<Trainer>& trainers,
                  std::vector<Contender>& contenders, Steps& steps) {
  for (std::int64_t step = 0; step < setup.steps; ++step) {
    for (std::size_t i = 0; i < trainers.size(); ++i) {
      const std::size_t at = (static_cast<std::size_t>(step) + i) % trainers.size();
      Contender& contender = contenders[at];
      const StepResult result = steps.run(trainers[at], contender.record.policy, step);
      contender.record.loss = result.loss;
      if (step >= setup.warmup_steps) {
        contender.times.add(result);
      }
    }
  }
}

void compare_with(const RunRecord& baseline, RunRecord& record) {
  record.baseline_peak_bytes = baseline.peak_bytes;
  record.overhead = record.step_ms / baseline.step_ms - 1;
  record.cpu_overhead = record.step_cpu_ms / baseline.step_cpu_ms - 1;
}

}  // namespace

std::vector<RunRecord> compare_policies(const TrainSetup& setup,
                                        const std::vector<std::string>& policies,
                                        const StepListener& listener) {
  Steps steps(setup, policies.size(), listener);
  std::vector<Contender> contenders = place_all(setup, policies);
  for (Contender& contender : contenders) {
    measure_memory(setup, contender, steps);
  }

  std::vector<Trainer> trainers;
  for (const Contender& contender : contenders) {
    trainers.push_back(setup.make_trainer());
    trainers.back().place(contender.placement);
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
