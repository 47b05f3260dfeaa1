// SPDX-License-Identifier: Apache-2.0
#include "reprise/memory.h"

#include <limits>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "reprise/tape/counting_allocator.h"
#include "reprise/tape/device_memory.h"

namespace reprise {

void count_memory() { tape::count_cpu_memory(); }

bool is_counting_memory() { return tape::is_counting_cpu_memory(); }

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int largest_that_glibc_takes = 32 << 20;
  mallopt(M_MMAP_THRESHOLD, largest_that_glibc_takes);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

MemoryMeter::MemoryMeter(c10::Device device)
    : memory_(tape::DeviceMemory::of(device, "MemoryMeter")),
      scope_(std::make_unique<tape::PeakScope>()) {
  memory_.open(*scope_);
}

MemoryMeter::~MemoryMeter() { memory_.close(*scope_); }

std::int64_t MemoryMeter::live_bytes() const { return memory_.live_bytes(); }

std::int64_t MemoryMeter::start_bytes() const { return scope_->start_bytes; }

std::int64_t MemoryMeter::peak_bytes() const { return total_peak_bytes() - start_bytes(); }

std::int64_t MemoryMeter::total_peak_bytes() const { return memory_.total_peak_bytes(*scope_); }

}  // namespace reprise
