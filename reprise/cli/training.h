// SPDX-License-Identifier: Apache-2.0
// One training run under one policy, which can be saved, interrupted and gone on with.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "reprise/cli/budget_policy.h"
#include "reprise/cli/run_report.h"
#include "reprise/cli/saved_run.h"
#include "reprise/cli/step_times.h"
#include "reprise/cli/train_setup.h"

namespace reprise::cli {

class Training {
 public:
  // Reads the file that --resume names, if any: options that were left out are those of the saved
  // run. Throws UsageError if an option contradicts it, FormatError if it is damaged or foreign or
  // if the file to save to is not a saved run.
  // REQUIRES: set_budget_policy() has seen `values`.
  explicit Training(const OptionValues& values);

  // Trains to the last step, with progress on `err`, and saves. Throws Interrupted after Ctrl-C,
  // with the state saved if a file was named.
  RunRecord run(std::ostream& err);

  const OptionValues& values() const { return values_; }
  const TrainSetup& setup() const { return setup_; }
  Trainer& trainer() { return trainer_; }
  std::int64_t steps_done() const { return steps_done_; }

 private:
  Training(OptionValues values, const std::optional<SavedRun>& saved);
  void take_over(const SavedRun& saved);
  StepResult step();
  void save();

  OptionValues values_;
  TrainSetup setup_;
  Trainer trainer_;
  std::optional<BudgetPolicy> budget_policy_;
  std::string save_path_;   // "": nowhere
  std::string data_crc32_;  // "": synthetic data, or nothing to save
  std::int64_t save_every_ = 0;
  std::int64_t steps_done_ = 0;
  double loss_ = 0;
};

}  // namespace reprise::cli
