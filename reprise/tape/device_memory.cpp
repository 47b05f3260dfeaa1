// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/device_memory.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include <ATen/Context.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "reprise/tape/counting_allocator.h"
#include "reprise/tape/meta_allocator.h"

namespace reprise::tape {
namespace {

class CpuSource final : public MemorySource {
 public:
  CpuSource() { count_cpu_memory(); }
  std::int64_t live_bytes() override { return cpu_live_bytes(); }
  std::int64_t restart_peak() override { return restart_cpu_peak(); }
  std::int64_t peak_bytes() override { return cpu_peak_bytes(); }
};

class StatisticsSource final : public MemorySource {
 public:
  StatisticsSource(c10::DeviceAllocator& allocator, c10::DeviceIndex index)
      : allocator_(allocator), index_(index) {}

  std::int64_t live_bytes() override { return allocated().current; }

  std::int64_t restart_peak() override {
    const std::int64_t peak = allocated().peak;
    allocator_.resetPeakStats(index_);
    return peak;
  }

  std::int64_t peak_bytes() override { return allocated().peak; }

 private:
  c10::CachingAllocator::Stat allocated() {
    constexpr auto aggregate = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    return allocator_.getDeviceStats(index_).allocated_bytes.at(aggregate);
  }

  c10::DeviceAllocator& allocator_;
  c10::DeviceIndex index_;
};

// Null if there is none for this type of device, or none with statistics.
c10::DeviceAllocator* find_device_allocator(c10::DeviceType type) {
  try {
    return dynamic_cast<c10::DeviceAllocator*>(c10::GetAllocator(type));
  } catch (const c10::Error&) {
    return nullptr;  // what GetAllocator does when nothing is registered
  }
}

c10::DeviceIndex current_index(c10::DeviceType type) {
  return c10::impl::hasDeviceGuardImpl(type) ? c10::impl::VirtualGuardImpl(type).getDevice().index()
                                             : c10::DeviceIndex{0};
}

}  // namespace

DeviceMemory::DeviceMemory(c10::Device device, std::unique_ptr<MemorySource> source)
    : device_(device), source_(std::move(source)) {}

DeviceMemory& DeviceMemory::of(c10::Device device, const std::string& place) {
  // Never destroyed: a scope may close while static objects die.
  static auto& mutex = *new std::mutex;
  static auto& known = *new std::map<std::pair<c10::DeviceType, c10::DeviceIndex>, DeviceMemory*>;

  const std::lock_guard lock(mutex);
  if (device.is_cpu()) {
    static auto& cpu = *new DeviceMemory(c10::kCPU, std::make_unique<CpuSource>());
    return cpu;
  }
  c10::DeviceAllocator* const allocator = find_device_allocator(device.type());
  if (allocator == nullptr) {
    throw std::invalid_argument(
        place + ": the device must be the CPU or have an allocator with statistics, got " +
        device.str());
  }
  if (!allocator->initialized()) {
    at::globalContext().lazyInitDevice(device.type());
  }
  const c10::DeviceIndex index = device.has_index() ? device.index() : current_index(device.type());
  DeviceMemory*& memory = known[{device.type(), index}];
  if (memory == nullptr) {
    memory = new DeviceMemory({device.type(), index},
                              std::make_unique<StatisticsSource>(*allocator, index));
  }
  return *memory;
}

bool DeviceMemory::counts(c10::Device device) const {
  if (device.is_meta()) {
    return device_.is_cpu() && is_counting_meta_memory();
  }
  return device.type() == device_.type() && (device.is_cpu() || device.index() == device_.index());
}

std::int64_t DeviceMemory::live_bytes() { return source_->live_bytes(); }

void DeviceMemory::restart_peak() {
  const std::int64_t peak_bytes = source_->restart_peak();
  for (PeakScope* open_scope : open_scopes_) {
    open_scope->peak_bytes = std::max(open_scope->peak_bytes, peak_bytes);
  }
}

void DeviceMemory::open(PeakScope& scope) {
  const std::lock_guard lock(mutex_);
  scope.start_bytes = source_->live_bytes();
  scope.peak_bytes = scope.start_bytes;
  restart_peak();
  open_scopes_.push_back(&scope);
}

std::int64_t DeviceMemory::restart(PeakScope& scope) {
  const std::lock_guard lock(mutex_);
  restart_peak();
  return std::exchange(scope.peak_bytes, source_->live_bytes());
}

void DeviceMemory::close(const PeakScope& scope) {
  const std::lock_guard lock(mutex_);
  std::erase(open_scopes_, &scope);
}

std::int64_t DeviceMemory::total_peak_bytes(const PeakScope& scope) {
  const std::lock_guard lock(mutex_);
  return std::max(scope.peak_bytes, source_->peak_bytes());
}

}  // namespace reprise::tape
