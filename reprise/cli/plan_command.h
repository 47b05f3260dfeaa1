// SPDX-License-Identifier: Apache-2.0
// `reprise plan`: the fastest schedule that a planner finds within a budget.
#pragma once

#include <iosfwd>

#include "reprise/cli/estimated_program.h"
#include "reprise/cli/option_table.h"

namespace reprise::cli {

// What gives the program of a model that options name (training_part.h).
using ModelProgram = EstimatedProgram (*)(const OptionValues& values);

// Writes the plan to `out`, progress to `err`, the schedule and JSON where they are asked for.
// Throws BudgetError if no schedule fits (JSON is written first), Interrupted if it was stopped
// (the best schedule so far is written first), UsageError or std::invalid_argument for options that
// the planner does not have, FormatError or FileError.
void run_plan(const OptionValues& values, ModelProgram program_of_model, std::ostream& out,
              std::ostream& err);

}  // namespace reprise::cli
