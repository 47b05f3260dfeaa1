// SPDX-License-Identifier: Apache-2.0
// The part of the program that needs libtorch: training, verifying, and what a model takes. A build
// without libtorch has no_training_part.cpp instead of training_part.cpp, and every other command
// all the same.
#pragma once

#include <exception>
#include <iosfwd>
#include <optional>
#include <string>

#include "reprise/cli/estimated_program.h"
#include "reprise/cli/option_table.h"

namespace reprise::cli {

// `reprise train`, see train_command.h. Without libtorch it throws std::runtime_error.
void run_training(const OptionValues& values, std::ostream& out, std::ostream& err);
// `reprise verify`, see verify_command.h. Likewise.
void run_verification(const OptionValues& values, std::ostream& out, std::ostream& err);

// For `reprise plan --model`, see model_program.h. Likewise.
EstimatedProgram program_of_model(const OptionValues& values);

// "libtorch 2.13.0", "no libtorch".
std::string libtorch_text();

// What an error of libtorch says without its backtrace; nothing if it is none.
std::optional<std::string> libtorch_error_text(const std::exception& error);

}  // namespace reprise::cli
