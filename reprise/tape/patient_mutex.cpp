// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/patient_mutex.h"

#include <atomic>

namespace reprise::tape {
namespace {

// A mutable global, against house rule 22: which language the process speaks is a fact about it.
std::atomic<WaitWithout> present_wait{nullptr};

void lock_it(std::recursive_mutex& mutex) { mutex.lock(); }

}  // namespace

void set_wait_without(WaitWithout wait_without) { present_wait = wait_without; }

void PatientMutex::wait() {
  if (const WaitWithout wait_without = present_wait) {
    wait_without(&lock_it, mutex_);
  } else {
    mutex_.lock();
  }
}

}  // namespace reprise::tape
