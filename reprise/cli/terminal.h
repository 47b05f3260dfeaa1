// SPDX-License-Identifier: Apache-2.0
// The progress of training on standard error.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "reprise/cli/progress_bar.h"
#include "reprise/cli/step_clock.h"

namespace reprise::cli {

// A ProgressBar that knows whether standard error is a terminal, how wide it is, and the time.
class TrainingProgress {
 public:
  // `err` is standard error's stream and outlives it.
  explicit TrainingProgress(std::ostream& err);

  // Adds the time left, taking the steps to come for as long as those so far.
  void show(Progress progress);
  void finish() { bar_.finish(); }

 private:
  ProgressBar bar_;
  StepClock clock_;
  std::int64_t first_done_ = -1;
};

}  // namespace reprise::cli
