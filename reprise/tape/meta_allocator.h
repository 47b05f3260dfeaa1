// SPDX-License-Identifier: Apache-2.0
// Counts the bytes that tensors on the meta device would take if they had any, exactly, as bytes of
// the CPU: a step on meta tensors stands for one on the CPU, where numbers and generator states are
// in either.
//
// A c10::Allocator in the place of the meta device's own, which gives out nothing as well. Tensors
// made before count_meta_memory() are not counted.
#pragma once

#include <c10/core/Storage.h>

namespace reprise::tape {

// Begins to count, on the CPU too (counting_allocator.h), once and for the rest of the process;
// later calls do nothing. To be called before other threads make meta tensors.
void count_meta_memory();
bool is_counting_meta_memory();

// Resizing a meta tensor asks no allocator: counts a storage of the meta device with the bytes that
// it has now.
void count_again(const c10::StorageImpl& storage);

// What this thread makes on the meta device in the scope is not counted.
class UncountedMeta {
 public:
  UncountedMeta();
  ~UncountedMeta();
  UncountedMeta(const UncountedMeta&) = delete;
  UncountedMeta& operator=(const UncountedMeta&) = delete;

 private:
  bool outer_;
};

}  // namespace reprise::tape
