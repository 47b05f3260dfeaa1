// SPDX-License-Identifier: Apache-2.0
// CPU time of all threads of this process: the clock of the benches, which other jobs on the
// machine move least.
#pragma once

#include <ctime>

namespace reprise::bench {

inline double process_cpu_ms() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

}  // namespace reprise::bench
