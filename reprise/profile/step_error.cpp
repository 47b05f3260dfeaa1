// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/step_error.h"

namespace reprise::profile {

std::string place_of_op(const StepTrace& trace, std::size_t op) {
  return "ops[" + std::to_string(op) + "] (" + trace.ops[op].name + ")";
}

std::string place_of_use(const StepTrace& trace, std::size_t use) {
  return "uses[" + std::to_string(use) + "] (" + trace.uses[use].name + ")";
}

}  // namespace reprise::profile
