// SPDX-License-Identifier: Apache-2.0
// What a StepError says.
#pragma once

#include <string>

#include "reprise/profile/step_error.h"

namespace reprise::profile {

// "none" if `action` throws no StepError.
template <class Action>
std::string complaint_of(const Action& action) {
  try {
    action();
  } catch (const StepError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace reprise::profile
