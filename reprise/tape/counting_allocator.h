// SPDX-License-Identifier: Apache-2.0
// Counts the bytes that torch allocates on the CPU, exactly, for the whole process.
//
// A c10::Allocator that stands in front of the one that was there and asks it for the memory. It
// counts what a tensor asked for (a float tensor of 1000 elements: 4000 bytes), not what alignment
// and its own header before each block add to that (at most 192 bytes).
//
// Counted: every block allocated after count_cpu_memory(), until it is freed, by whichever thread.
// Not counted: blocks allocated before (their size is unknown, and freeing them changes nothing)
// and what did not come from torch's CPU allocator: from_blob, files mapped into memory, shared
// memory, pinned memory, memory of libraries.
#pragma once

#include <cstdint>

namespace reprise::tape {

// Begins to count, once and for the rest of the process; later calls do nothing. Safe to call from
// several threads, but c10::SetAllocator is not made for threads that allocate at that very moment:
// call it early. Costs two uncontended atomic operations per allocation and one per free.
void count_cpu_memory();
bool is_counting_cpu_memory();

// Counts bytes of something that stands for CPU memory and has none (meta_allocator.h); less than
// 0: no longer.
void count_as_cpu_memory(std::int64_t bytes);

// Of the blocks that are counted.
std::int64_t cpu_live_bytes();
// The most live bytes since the last restart_cpu_peak().
std::int64_t cpu_peak_bytes();
// The peak begins anew at the live bytes of now. Returns the peak until now.
std::int64_t restart_cpu_peak();

// Is asked before each allocation of a thread, whose bytes are not among the live ones yet. What it
// throws leaves through the allocation. Bytes that it frees are free when the memory is taken.
class AllocationGate {
 public:
  virtual ~AllocationGate() = default;
  virtual void before_allocation(std::int64_t bytes) = 0;
};

// Whether there is one for allocations of this thread.
bool has_allocation_gate();

// Puts a gate before the CPU allocations of this thread for a scope, in place of the one there. Not
// asked for what it allocates itself.
class AllocationGateScope {
 public:
  explicit AllocationGateScope(AllocationGate& gate);
  ~AllocationGateScope();
  AllocationGateScope(const AllocationGateScope&) = delete;
  AllocationGateScope& operator=(const AllocationGateScope&) = delete;

 private:
  AllocationGate* outer_;
};

// Lets allocations of this thread pass without a gate for a scope.
class NoAllocationGate {
 public:
  NoAllocationGate();
  ~NoAllocationGate();
  NoAllocationGate(const NoAllocationGate&) = delete;
  NoAllocationGate& operator=(const NoAllocationGate&) = delete;

 private:
  AllocationGate* outer_;
};

}  // namespace reprise::tape
