// SPDX-License-Identifier: Apache-2.0
// The program of a training step of a model that the options name, without running it.
#pragma once

#include "reprise/cli/estimated_program.h"
#include "reprise/cli/option_table.h"

namespace reprise::cli {

// Of --model, its sizes and --batch, at the speed of --gflops and --gbytes-per-s. Throws UsageError
// or std::invalid_argument for sizes that do not fit together.
EstimatedProgram make_model_program(const OptionValues& values);

}  // namespace reprise::cli
