// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/thread_clock.h"

#include <ctime>

namespace reprise::tape {

double thread_cpu_us() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

}  // namespace reprise::tape
