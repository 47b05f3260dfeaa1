// SPDX-License-Identifier: Apache-2.0
// Counts what may outlive the scope that made it, so that tests can see that nothing does.
#pragma once

#include <cstdint>

namespace reprise::tape {

// Handles, regions and tapes that are alive in the process, changed by `change`.
void count_live(std::int64_t change);

}  // namespace reprise::tape
