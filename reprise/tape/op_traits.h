// SPDX-License-Identifier: Apache-2.0
// OpTraits: what op_effects.h says of an operator, looked up once.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace reprise::tape {

struct OpTraits {
  bool may_replay = true;
  bool is_random = false;
  bool makes_uninitialised = false;
  bool may_write = false;  // some of its arguments, depending on the others
  bool is_view = false;    // its results look at its arguments: it reads and makes nothing
};

// Lives as long as the process.
const OpTraits& traits_of(const c10::OperatorHandle& op);

}  // namespace reprise::tape
