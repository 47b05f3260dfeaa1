// SPDX-License-Identifier: Apache-2.0
// Counts the bytes that tensors on the meta device would take if they had any, exactly, for the
// whole process.
//
// A c10::Allocator in the place of the meta device's own, which gives out nothing as well. What it
// counts lies beside what is on the CPU (counting_allocator.h), since a step on meta tensors stands
// for one on the CPU: numbers and generator states are there in either. Peaks are of the two
// together, seen whenever a meta tensor is made.
//
// Not counted: tensors made before count_meta_memory().
#pragma once

#include <cstdint>

#include <c10/core/Storage.h>

namespace reprise::tape {

// Begins to count, on the CPU too, once and for the rest of the process; later calls do nothing.
// To be called before other threads make meta tensors.
void count_meta_memory();

// Of meta tensors and the CPU together.
std::int64_t meta_live_bytes();
// The most since the last restart_meta_peak().
std::int64_t meta_peak_bytes();
// The peak begins anew at the live bytes of now. Returns the peak until now.
std::int64_t restart_meta_peak();

// Resizing a meta tensor asks no allocator: counts a storage of the meta device with the bytes that
// it has now.
void count_again(const c10::StorageImpl& storage);

}  // namespace reprise::tape
