// SPDX-License-Identifier: Apache-2.0
// Live bytes of one device, and their peak within any number of scopes that may nest and overlap.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <c10/core/Device.h>

namespace reprise::tape {

// A source of numbers about one device. There is one peak per device, which all scopes share.
class MemorySource {
 public:
  virtual ~MemorySource() = default;
  virtual std::int64_t live_bytes() = 0;
  // Returns the peak since the last call and begins a new one at the live bytes of now.
  virtual std::int64_t restart_peak() = 0;
  // The peak since the last restart.
  virtual std::int64_t peak_bytes() = 0;
};

struct PeakScope {
  std::int64_t start_bytes = 0;  // live when the scope was opened
  std::int64_t peak_bytes = 0;   // until the source's peak was last restarted
};

// Restarting the one peak for a new scope must not lose it for those already open: before that, the
// peak so far is folded into each of them. All functions are safe to call from several threads.
class DeviceMemory {
 public:
  DeviceMemory(c10::Device device, std::unique_ptr<MemorySource> source);

  // The one of this process for `device`, without an index: of the current device of that type.
  // CPU: counted by counting_allocator.h, which begins now if it had not. Others: the statistics of
  // the device's allocator (bytes given out, rounded up to blocks as the allocator does).
  // Throws std::invalid_argument, which begins with `place`, if the device has no allocator that
  // keeps statistics.
  static DeviceMemory& of(c10::Device device, const std::string& place);

  // With its index, unless it is the CPU.
  c10::Device device() const { return device_; }
  // Whether what lies on `device` is among the bytes: also that of meta tensors, once they are
  // counted as the CPU's (meta_allocator.h).
  bool counts(c10::Device device) const;

  std::int64_t live_bytes();
  // `scope` must stay where it is until close().
  void open(PeakScope& scope);
  void close(const PeakScope& scope);
  // The most bytes that lived at once since `scope` was opened, or restarted.
  std::int64_t total_peak_bytes(const PeakScope& scope);
  // The same; a new peak of the scope begins at the live bytes of now.
  std::int64_t restart(PeakScope& scope);

 private:
  void restart_peak();

  c10::Device device_;
  std::mutex mutex_;
  std::unique_ptr<MemorySource> source_;
  std::vector<PeakScope*> open_scopes_;
};

}  // namespace reprise::tape
