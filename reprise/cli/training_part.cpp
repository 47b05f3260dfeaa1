// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/training_part.h"

#include <torch/torch.h>

#include "reprise/cli/model_program.h"
#include "reprise/cli/train_command.h"
#include "reprise/cli/verify_command.h"

namespace reprise::cli {

void run_training(const OptionValues& values, std::ostream& out, std::ostream& err) {
  run_train(values, out, err);
}

void run_verification(const OptionValues& values, std::ostream& out, std::ostream& err) {
  run_verify(values, out, err);
}

EstimatedProgram program_of_model(const OptionValues& values) { return make_model_program(values); }

std::string libtorch_text() { return "libtorch " TORCH_VERSION; }

std::optional<std::string> libtorch_error_text(const std::exception& error) {
  const auto* const torch_error = dynamic_cast<const c10::Error*>(&error);
  return torch_error == nullptr ? std::nullopt
                                : std::optional<std::string>(torch_error->what_without_backtrace());
}

}  // namespace reprise::cli
