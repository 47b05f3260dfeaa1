// SPDX-License-Identifier: Apache-2.0
// Trains one model under several policies from the same seed and measures what each costs.
//
// Memory first: each policy alone, with nothing of the others alive. Then time: one model per
// policy, all stepped in turn, so that a slow moment of the machine meets all of them alike; what
// is trained under a budget follows the plan that was made when its memory was measured. Parameters
// and buffers at the end are compared, bit by bit, with those of the policy "none".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reprise/cli/run_report.h"
#include "reprise/cli/train_setup.h"

namespace reprise::cli {

// Told after each step of any policy: what runs, steps done and to do in all, and the step's
// result. May throw to stop.
using StepListener = std::function<void(const std::string& label, std::int64_t done,
                                        std::int64_t total, const StepResult& result)>;

// One record per policy, in their order. REQUIRES: "none" is among them.
std::vector<RunRecord> compare_policies(const TrainSetup& setup,
                                        const std::vector<std::string>& policies,
                                        const StepListener& listener);

}  // namespace reprise::cli
