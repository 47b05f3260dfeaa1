// SPDX-License-Identifier: Apache-2.0
// LiveBytes: how many bytes an allocator has given out, and their peak; for several threads at
// once.
#pragma once

#include <atomic>
#include <cstdint>

namespace reprise::tape {

// Constant-initialised and without a destructor: blocks may be freed while static objects die.
class LiveBytes {
 public:
  std::int64_t live() const { return live_.load(); }
  std::int64_t peak() const { return peak_.load(); }

  // `beside`: bytes that someone else counts and that are live at the same time.
  void add(std::int64_t bytes, std::int64_t beside = 0) {
    raise_peak(live_.fetch_add(bytes, std::memory_order_relaxed) + bytes + beside);
  }
  void subtract(std::int64_t bytes) { live_.fetch_sub(bytes, std::memory_order_relaxed); }

  // The peak begins anew at the live bytes of now. Returns the peak until now.
  std::int64_t restart_peak(std::int64_t beside = 0) {
    const std::int64_t peak = peak_.exchange(live_.load() + beside);
    // Another thread may have allocated between the two.
    raise_peak(live_.load() + beside);
    return peak;
  }

 private:
  void raise_peak(std::int64_t live) {
    std::int64_t peak = peak_.load(std::memory_order_relaxed);
    while (peak < live && !peak_.compare_exchange_weak(peak, live)) {
    }
  }

  std::atomic<std::int64_t> live_{0};
  std::atomic<std::int64_t> peak_{0};
};

}  // namespace reprise::tape
