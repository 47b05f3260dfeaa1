// SPDX-License-Identifier: Apache-2.0
// Times of steps and what a run's record says of its model.
#pragma once

#include <string>
#include <vector>

#include "reprise/cli/run_report.h"
#include "reprise/cli/train_setup.h"

namespace reprise::cli {

class StepTimes {
 public:
  void add(const StepResult& result);
  // 0 if no step was added.
  double median_wall_ms() const;
  double median_cpu_ms() const;

 private:
  std::vector<double> wall_ms_;
  std::vector<double> cpu_ms_;
};

// Policy, regions and what they have counted; under a budget, its last pass. `last`: the trainer's
// last step, whose replays the record has.
RunRecord describe_run(const std::string& policy, Trainer& trainer, const StepResult& last);

// Tokens, images or samples that a step of `step_ms` takes in per second; 0 if it is not known.
double items_per_second(const TrainSetup& setup, double step_ms);

}  // namespace reprise::cli
