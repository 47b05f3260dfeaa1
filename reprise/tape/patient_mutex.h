// SPDX-License-Identifier: Apache-2.0
// PatientMutex: a recursive mutex whose waiting a binding of another language can take part in.
//
// Under our locks ops run and users' functions are called, which in a Python process may wait for
// the interpreter's lock. Whoever holds that one and drops a graph waits for ours: each would wait
// for the other. So a binding that holds a lock of its own lets go of it for as long as we wait.
#pragma once

#include <mutex>

namespace reprise::tape {

// Calls `wait`, once, without the locks that the binding holds on this thread.
using WaitWithout = void (*)(void (*wait)(std::recursive_mutex&), std::recursive_mutex& mutex);

// For the process; to be called before anything is recorded.
void set_wait_without(WaitWithout wait_without);

// What std::lock_guard and std::unique_lock take.
class PatientMutex {
 public:
  void lock() {
    if (!mutex_.try_lock()) {
      wait();
    }
  }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  void wait();

  std::recursive_mutex mutex_;
};

}  // namespace reprise::tape
