// SPDX-License-Identifier: Apache-2.0
// A program that was made of a model without running it: its bytes are exact, its times estimates.
#pragma once

#include <cstdint>

#include "reprise/plan/program.h"

namespace reprise::cli {

struct EstimatedModel {
  std::int64_t parameter_bytes = 0;       // and of buffers: live before the step begins
  std::int64_t there_gradient_bytes = 0;  // likewise
  std::int64_t made_gradient_bytes = 0;   // live when it ends
  double gflops = 0;                      // that times are estimated with, as the next
  double gbytes_per_s = 0;
};

struct EstimatedProgram {
  plan::Program program;
  EstimatedModel model;
};

}  // namespace reprise::cli
