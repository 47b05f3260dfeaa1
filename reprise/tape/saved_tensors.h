// SPDX-License-Identifier: Apache-2.0
// Routes every tensor that autograd saves through the top frame of the thread.
#pragma once

namespace reprise::tape {

// Makes an engine that asks `hooks_of_top_frame` the default one of the process. Idempotent,
// thread-safe.
void install_saved_tensor_hooks();

}  // namespace reprise::tape
