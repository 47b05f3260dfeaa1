// SPDX-License-Identifier: Apache-2.0
// StepError: a step that was watched cannot be put as a program.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include "reprise/profile/step_trace.h"

namespace reprise::profile {

// The message names the op or the use: "uses[3] (MulBackward0): needs[0]: expected ..., got ...".
class StepError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "ops[12] (aten::add_)", "uses[3] (MulBackward0)".
std::string place_of_op(const StepTrace& trace, std::size_t op);
std::string place_of_use(const StepTrace& trace, std::size_t use);

}  // namespace reprise::profile
