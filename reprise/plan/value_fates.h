// SPDX-License-Identifier: Apache-2.0
// What a schedule does with each value that backward needs, and why: for reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"

namespace reprise::plan {

struct ValueFate {
  enum class Action {
    kHeld,        // user code holds it through backward: no plan could free it
    kKept,        // from the op that makes it to the last node that needs it
    kRecomputed,  // freed in between, and made again before some node
  };

  int value = 0;  // of the program
  Action action = Action::kKept;
  std::int64_t replays = 0;  // of its recipe, while some node still needed it
  double recompute_us = 0;   // of those: shared with the other values that the recipe makes
  std::string why;           // for people
};

// Of each value that some use needs and that is not external, in the order of the program.
// REQUIRES: neither has a fault.
std::vector<ValueFate> value_fates(const Program& program, const Schedule& schedule);

// "held", "kept", "recomputed".
std::string action_text(ValueFate::Action action);

}  // namespace reprise::plan
