// SPDX-License-Identifier: Apache-2.0
// What the options of `plan` and `compare` ask of a planner.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "reprise/cli/option_table.h"
#include "reprise/cli/progress_bar.h"
#include "reprise/cli/step_clock.h"
#include "reprise/cli/stop_request.h"
#include "reprise/plan/planner.h"

namespace reprise::cli {

// --iterations, --time-limit and --seed of a planner: each of the first two is one limit for all
// planners or a list, "search=500,dtr=20", of some of those that are `asked`; those that it does
// not name have none. Throws UsageError, also for a wrong limit of another planner.
plan::PlanRequest plan_request(const OptionValues& values, const std::string& planner,
                               const std::vector<std::string>& asked);

// Throws UsageError, beginning with `option`, unless there is a planner of this name.
void require_planner(const std::string& name, const std::string& option);

// Shows how far planning is, and lets Ctrl-C stop it: the first time the planner answers with the
// best schedule so far, the second time the process ends. The bar is drawn on a terminal only, and
// nothing of it stays: what a command says in the end is all that it says, a refusal one line.
class PlanWatch {
 public:
  // `err` is standard error's stream and outlives it.
  explicit PlanWatch(std::ostream& err);

  // To be called from PlanRequest::on_progress. `total`: plans to make in all, `done`: those that
  // are finished. False once the user wants to stop.
  bool show(const std::string& label, const plan::PlanProgress& progress, std::int64_t done,
            std::int64_t total);
  // Wipes the line of progress, so that other text can follow.
  void finish() { bar_.erase(); }

  bool is_stopped() const { return stop_.is_made(); }
  double seconds() const { return clock_.wall_ms() / 1e3; }

 private:
  bool is_terminal_;
  ProgressBar bar_;
  StepClock clock_;
  StopRequest stop_;
};

}  // namespace reprise::cli
