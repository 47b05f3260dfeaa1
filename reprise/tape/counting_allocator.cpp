// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/counting_allocator.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <utility>

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/util/ScopeExit.h>

#include "reprise/tape/forked_child.h"

namespace reprise::tape {
namespace {

constexpr std::size_t kAlignment = 64;  // what torch's own CPU allocator promises
constexpr std::size_t kPage = 4096;     // no platform of torch has smaller pages
// Highest: another allocator put in with any priority is wrapped, and not replaced by us.
constexpr std::uint8_t kPriority = 255;
constexpr std::uint64_t kMark = 0x52657072'69736531;

// Stands directly before each block.
struct alignas(kAlignment) Header {
  std::uint64_t mark = kMark;
  const void* block = nullptr;
  std::int64_t bytes = 0;
  void* context = nullptr;  // of the inner allocation, freed by `deleter`
  c10::DeleterFnPtr deleter = nullptr;
};
static_assert(sizeof(Header) == kAlignment);

// Header, alignment of an inner allocator that aligns less, and a step off a page boundary.
constexpr std::size_t kExtraBytes = 3 * kAlignment;

// Mutable globals, against house rule 22: a c10 allocator is global and must outlive every tensor.
// Constant-initialised and without destructors, so that static tensors may be freed at exit.
std::atomic<std::int64_t> live_bytes_count{0};
std::atomic<std::int64_t> peak_bytes_count{0};
std::atomic<c10::Allocator*> inner_allocator{nullptr};
std::atomic<bool> takes_from_malloc{false};
std::atomic<bool> is_counting{false};
// Scope state of this thread, changed by AllocationGateScope alone.
thread_local AllocationGate* gate = nullptr;

void pass_gate(std::int64_t bytes) {
  if (gate == nullptr) {
    return;
  }
  AllocationGate* const present = std::exchange(gate, nullptr);
  const auto put_back = c10::make_scope_exit([present] { gate = present; });
  present->before_allocation(bytes);
}

void raise_peak(std::int64_t live) {
  std::int64_t peak = peak_bytes_count.load(std::memory_order_relaxed);
  while (peak < live && !peak_bytes_count.compare_exchange_weak(peak, live)) {
  }
}

std::uintptr_t address_of(const void* block) { return reinterpret_cast<std::uintptr_t>(block); }

// The header of a block that we gave out, or null. Code such as oneDNN's glue frees through
// whichever allocator is registered at that moment, so blocks may arrive that the inner allocator
// gave out before us. Looking before them is safe: ours never begin a page, so what lies 64 bytes
// before any block that may be ours is on the block's own page.
Header* header_of(void* block) {
  if (address_of(block) % kAlignment != 0 || address_of(block) % kPage == 0) {
    return nullptr;
  }
  auto* const place = static_cast<std::byte*>(block) - sizeof(Header);
  std::uint64_t mark = 0;
  const void* marked_block = nullptr;
  std::memcpy(&mark, place + offsetof(Header, mark), sizeof(mark));
  std::memcpy(&marked_block, place + offsetof(Header, block), sizeof(marked_block));
  if (mark != kMark || marked_block != block) {
    return nullptr;
  }
  return std::launder(reinterpret_cast<Header*>(place));
}

void free_block(void* block) {
  if (block == nullptr) {
    return;
  }
  Header* const header = header_of(block);
  if (header == nullptr) {
    inner_allocator.load()->raw_deallocate(block);
    return;
  }
  const Header inner = *header;
  header->mark = 0;
  live_bytes_count.fetch_sub(inner.bytes, std::memory_order_relaxed);
  inner.deleter(inner.context);
}

void free_malloced(void* memory) {
  c10::profiledCPUMemoryReporter().Delete(memory);
  std::free(memory);
}

// What torch's own allocator does, but by malloc instead of posix_memalign: glibc 2.36 does not
// find a freed block again when one of the same size is asked for with an alignment, so that a step
// which frees and allocates in turn takes many times the memory that it has live.
c10::DataPtr take_memory(c10::Allocator& inner, std::size_t bytes) {
  if (takes_from_malloc.load(std::memory_order_relaxed)) {
    if (void* const memory = std::malloc(bytes)) {
      c10::profiledCPUMemoryReporter().New(memory, bytes);
      return {memory, memory, &free_malloced, c10::Device(c10::DeviceType::CPU)};
    }
  }
  return inner.allocate(bytes);  // whose error tells what was asked for
}

class CountingAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    if (bytes == 0) {
      return {nullptr, nullptr, &free_block, c10::Device(c10::DeviceType::CPU)};
    }
    pass_gate(static_cast<std::int64_t>(bytes));
    c10::Allocator* const inner = inner_allocator.load(std::memory_order_relaxed);
    if (bytes > std::numeric_limits<std::size_t>::max() / 2 - kExtraBytes) {
      return inner->allocate(bytes);  // whose error names the size that was asked for
    }
    c10::DataPtr memory = take_memory(*inner, bytes + kExtraBytes);
    auto* block = static_cast<std::byte*>(memory.get()) + sizeof(Header);
    block += (kAlignment - address_of(block) % kAlignment) % kAlignment;
    if (address_of(block) % kPage == 0) {
      block += kAlignment;
    }
    const c10::Device device = memory.device();
    const c10::DeleterFnPtr deleter = memory.get_deleter();
    const auto counted_bytes = static_cast<std::int64_t>(bytes);
    new (block - sizeof(Header)) Header{.block = block,
                                        .bytes = counted_bytes,
                                        .context = memory.release_context(),
                                        .deleter = deleter};
    count_as_cpu_memory(counted_bytes);
    return {block, block, &free_block, device};
  }

  c10::DeleterFnPtr raw_deleter() const override { return &free_block; }

  void copy_data(void* dest, const void* src, std::size_t count) const override {
    default_copy_data(dest, src, count);
  }
};

}  // namespace

void count_cpu_memory() {
  static std::once_flag once;
  std::call_once(once, [] {
    inner_allocator = c10::GetAllocator(c10::DeviceType::CPU);
    // Who asks torch for huge pages gets them from torch. That is read from the environment,
    // against house rule 22: the variable is torch's own, torch offers no other way to ask, and
    // counting begins with the first meter or budget, which no caller is asked about.
    takes_from_malloc = inner_allocator.load() == c10::GetDefaultCPUAllocator() &&
                        std::getenv("THP_MEM_ALLOC_ENABLE") == nullptr;
    // Never deleted: tensors that live until the process ends are freed through it.
    static auto& allocator = *new CountingAllocator;
    c10::SetAllocator(c10::DeviceType::CPU, &allocator, kPriority);
    is_counting = true;
  });
}

bool has_allocation_gate() { return gate != nullptr; }

void count_as_cpu_memory(std::int64_t bytes) {
  raise_peak(live_bytes_count.fetch_add(bytes, std::memory_order_relaxed) + bytes);
}

AllocationGateScope::AllocationGateScope(AllocationGate& new_gate)
    : outer_(std::exchange(gate, &new_gate)) {
  static const bool forgets = call_in_forked_child([] { gate = nullptr; });
  static_cast<void>(forgets);
}

AllocationGateScope::~AllocationGateScope() { gate = outer_; }

NoAllocationGate::NoAllocationGate() : outer_(std::exchange(gate, nullptr)) {}

NoAllocationGate::~NoAllocationGate() { gate = outer_; }

bool is_counting_cpu_memory() { return is_counting.load(); }

std::int64_t cpu_live_bytes() { return live_bytes_count.load(); }

std::int64_t cpu_peak_bytes() { return peak_bytes_count.load(); }

std::int64_t restart_cpu_peak() {
  const std::int64_t peak = peak_bytes_count.exchange(live_bytes_count.load());
  // Another thread may have allocated between the two.
  raise_peak(live_bytes_count.load());
  return peak;
}

}  // namespace reprise::tape
