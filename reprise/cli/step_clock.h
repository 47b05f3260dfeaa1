// SPDX-License-Identifier: Apache-2.0
// Wall and CPU time since a moment.
#pragma once

#include <chrono>
#include <ctime>

namespace reprise::cli {

class StepClock {
 public:
  StepClock() : wall_(Clock::now()), cpu_ms_(process_ms()) {}

  double wall_ms() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - wall_).count();
  }
  // Of all threads of the process.
  double cpu_ms() const { return process_ms() - cpu_ms_; }

 private:
  using Clock = std::chrono::steady_clock;

  static double process_ms() {
    timespec now = {};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
  }

  Clock::time_point wall_;
  double cpu_ms_;
};

}  // namespace reprise::cli
