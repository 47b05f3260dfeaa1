// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/cost_clock.h"

#include <algorithm>
#include <chrono>

#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>

#include "reprise/tape/thread_clock.h"

namespace reprise::profile {
namespace {

void wait_for(c10::Device device) {
  try {
    const c10::impl::VirtualGuardImpl guard(device.type());
    guard.synchronizeStream(guard.getStream(device));
  } catch (const c10::Error&) {
    // A device without streams has done its work when a call returns. What went wrong on one that
    // has them is told by the user's own next call; this one may be made in a destructor.
  }
}

}  // namespace

double CostClock::now_us() {
  if (!device_.is_cpu()) {
    wait_for(device_);
    const std::chrono::duration<double, std::micro> now =
        std::chrono::steady_clock::now().time_since_epoch();
    return now.count();
  }
  const double now = tape::thread_cpu_us();
  const std::thread::id thread = std::this_thread::get_id();
  if (thread == thread_) {
    total_us_ += std::max(0.0, now - last_us_);
  }
  thread_ = thread;
  last_us_ = now;
  return total_us_;
}

}  // namespace reprise::profile
