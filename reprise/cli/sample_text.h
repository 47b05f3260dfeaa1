// SPDX-License-Identifier: Apache-2.0
// A sample of text from a trained language model, as a terminal can show it.
#pragma once

#include <cstdint>
#include <string>

#include "reprise/cli/train_setup.h"

namespace reprise::cli {

// `bytes` continued bytes after the beginning of the first held-out text, both under a heading; ""
// if `model` is no language model, the data are no text (synthetic) or `bytes` is 0.
std::string sample_text(zoo::Model& model, const TrainSetup& setup, std::int64_t bytes);

}  // namespace reprise::cli
