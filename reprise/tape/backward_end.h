// SPDX-License-Identifier: Apache-2.0
// The backward that runs on this thread, and what is to be done when it is over.
#pragma once

#include <functional>

namespace reprise::tape {

inline constexpr int kNoBackward = -1;

// Number of the innermost backward (autograd's graph task) on this thread, or kNoBackward.
int current_backward();

// Calls `end`, which must not throw, once the current backward is over: `has_returned`, or it has
// thrown. REQUIRES: current_backward() != kNoBackward.
void at_end_of_backward(std::function<void(bool has_returned)> end);

}  // namespace reprise::tape
