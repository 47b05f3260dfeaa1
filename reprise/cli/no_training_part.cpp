// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "reprise/cli/training_part.h"

namespace reprise::cli {
namespace {

[[noreturn]] void refuse(const std::string& place = "") {
  throw std::runtime_error(place +
                           "expected a program that was built with libtorch, got one without");
}

}  // namespace

void run_training(const OptionValues& /*values*/, std::ostream& /*out*/, std::ostream& /*err*/) {
  refuse();
}

void run_verification(const OptionValues& /*values*/, std::ostream& /*out*/,
                      std::ostream& /*err*/) {
  refuse();
}

EstimatedProgram program_of_model(const OptionValues& /*values*/) { refuse("--model: "); }

std::string libtorch_text() { return "no libtorch"; }

std::optional<std::string> libtorch_error_text(const std::exception& /*error*/) {
  return std::nullopt;
}

}  // namespace reprise::cli
