// SPDX-License-Identifier: Apache-2.0
// What `reprise train` is asked to do, read from its options.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "reprise/cli/option_table.h"
#include "reprise/cli/trainer.h"
#include "reprise/zoo/data.h"
#include "reprise/zoo/make_model.h"

namespace reprise::cli {

struct TrainSetup {
  zoo::ModelSpec model;
  TrainerOptions trainer;
  std::unique_ptr<const zoo::DataSource> data;
  std::uint64_t seed = 1;
  std::int64_t steps = 0;
  std::int64_t warmup_steps = 0;
  std::int64_t accumulate = 1;
  std::int64_t validation_batches = 0;
  std::int64_t threads = 1;
  std::int64_t policy_from_length = 0;  // shorter sequences are trained without regions

  Trainer make_trainer() const;
  // The batches of step number `step`, counted from 0.
  std::vector<zoo::Batch> step_batches(std::int64_t step) const;
  std::vector<zoo::Batch> held_out_batches() const;
};

// What `train` and `verify` have in common: model, data and training. Sets libtorch's number of
// threads and reads the data. Throws UsageError or std::invalid_argument for options that do not
// fit together, FormatError for a file that cannot be read or is broken.
TrainSetup make_setup(const OptionValues& values);
// With what `train` alone has: warm-up, validation, --policy-from-length.
TrainSetup make_train_setup(const OptionValues& values);

// The policies of --compare, "none" first unless it is named elsewhere. Throws UsageError if one is
// not written like a policy or named twice.
std::vector<std::string> compared_policies(const std::string& list);

// Throws UsageError("--option: ...") unless `policy` is written like one of zoo::policies() or of
// budget_policy.h.
void check_policy_option(const std::string& option, const std::string& policy);

// The regions that `policy` means for the trainer's model and the setup's sequences. Throws
// UsageError("--option: ...") if the model has no such parts, or no sequences where
// --policy-from-length asks for their length.
zoo::RegionPlacement place_policy_option(const std::string& option, const std::string& policy,
                                         Trainer& trainer, const TrainSetup& setup);

}  // namespace reprise::cli
