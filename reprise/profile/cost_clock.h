// SPDX-License-Identifier: Apache-2.0
// CostClock: how long the work of a pass takes, on whichever threads it runs.
//
// On the CPU: the CPU time of those threads, without the time between two readings on different
// ones, of which nobody can say whose work it was. On other devices: wall time, read once the
// device has done what this thread has given it (its current stream) until then.
#pragma once

#include <thread>

#include <c10/core/Device.h>

namespace reprise::profile {

class CostClock {
 public:
  explicit CostClock(c10::Device device) : device_(device) {}

  // Microseconds since some point in the past, never less than at the last call. Not to be called
  // by two threads at a time.
  double now_us();

 private:
  c10::Device device_;
  std::thread::id thread_;  // of the last call
  double last_us_ = 0;      // what its clock said
  double total_us_ = 0;
};

}  // namespace reprise::profile
