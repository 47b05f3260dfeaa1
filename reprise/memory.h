// SPDX-License-Identifier: Apache-2.0
// How many bytes tensors take: live now, and at the peak of a piece of code.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include <c10/core/Device.h>

#include "reprise/plan/format_bytes.h"

namespace reprise {

namespace tape {
class DeviceMemory;
struct PeakScope;
}  // namespace tape

// Begins to count the bytes that torch allocates on the CPU, for the rest of the process. A
// MemoryMeter of the CPU does so by itself; call this at the start of main() where memory that was
// allocated before the first meter matters: its size is unknown, so it is never counted, neither
// while it lives nor when it is freed. Cheap enough to leave on: an uncontended atomic operation or
// two and 192 bytes per block. Does nothing the second time. Not to be called for the first time
// while other threads allocate tensors.
void count_memory();
bool is_counting_memory();

// Lets the process keep the memory of tensors that are freed, for those that come: fetching it from
// the system again takes time, under a budget up to a tenth of a step. With glibc it sets
// M_TRIM_THRESHOLD and M_MMAP_THRESHOLD, also where the environment says otherwise
// (MALLOC_TRIM_THRESHOLD_, MALLOC_MMAP_THRESHOLD_, GLIBC_TUNABLES); elsewhere it does nothing.
// Memory that the process has taken then stays with it until it ends. To be called at the start of
// main().
void keep_freed_memory();

// Measures from its construction to its destruction:
//
//   reprise::MemoryMeter meter;
//   loss.backward();
//   std::cout << reprise::format_bytes(meter.peak_bytes());
//
// On the CPU the numbers are exact: the bytes that tensors asked for, from count_memory() (or the
// first meter) on; memory that torch did not allocate (from_blob, mapped files, buffers of
// libraries) is not among them. On other devices they are the statistics of the device's allocator,
// "allocated bytes": what torch.cuda.max_memory_allocated() shows, block rounding included. Opening
// a meter there resets the allocator's peak statistics; whoever else resets them disturbs open
// meters.
//
// All threads of the process count. Meters may nest and overlap, also in several threads: none
// disturbs another's peak. A meter may be read from any thread while it exists.
class MemoryMeter {
 public:
  // `device` without an index: the current one of its type.
  // Throws std::invalid_argument if it is neither the CPU nor has an allocator with statistics.
  explicit MemoryMeter(c10::Device device = c10::Device(c10::DeviceType::CPU));
  ~MemoryMeter();
  MemoryMeter(const MemoryMeter&) = delete;
  MemoryMeter& operator=(const MemoryMeter&) = delete;

  std::int64_t live_bytes() const;        // now
  std::int64_t start_bytes() const;       // live when the meter was made
  std::int64_t peak_bytes() const;        // the most since then, above start_bytes()
  std::int64_t total_peak_bytes() const;  // the most since then, all in all

 private:
  tape::DeviceMemory& memory_;
  std::unique_ptr<tape::PeakScope> scope_;
};

// `count` units of bytes; a fraction of a byte is cut off.
template <class Number>
constexpr std::int64_t in_bytes(Number count, std::int64_t unit_bytes) {
  static_assert(std::is_arithmetic_v<Number>, "in_bytes: count is a number");
  if constexpr (std::is_integral_v<Number>) {
    return static_cast<std::int64_t>(count) * unit_bytes;
  } else {
    return static_cast<std::int64_t>(count * static_cast<Number>(unit_bytes));
  }
}
// Units of 1024, 1024^2 and 1024^3 bytes: gib(6), mib(1.5).
template <class Number>
constexpr std::int64_t kib(Number count) {
  return in_bytes(count, std::int64_t{1} << 10);
}
template <class Number>
constexpr std::int64_t mib(Number count) {
  return in_bytes(count, std::int64_t{1} << 20);
}
template <class Number>
constexpr std::int64_t gib(Number count) {
  return in_bytes(count, std::int64_t{1} << 30);
}

}  // namespace reprise
