// SPDX-License-Identifier: Apache-2.0
// What becomes of the memory of tensors that are freed.
#pragma once

namespace reprise::cli {

// The process keeps it (keep_freed_memory(), memory.h), unless whoever started it has set glibc's
// thresholds in the environment: MALLOC_TRIM_THRESHOLD_, MALLOC_MMAP_THRESHOLD_, GLIBC_TUNABLES.
void keep_freed_memory_unless_set();

}  // namespace reprise::cli
