// SPDX-License-Identifier: Apache-2.0
// CPU time of this thread: unlike wall time it does not count what others do meanwhile.
#pragma once

namespace reprise::tape {

// Microseconds since some point in the past.
double thread_cpu_us();

}  // namespace reprise::tape
