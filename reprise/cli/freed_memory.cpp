// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/freed_memory.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "reprise/memory.h"

namespace reprise::cli {

void keep_freed_memory_unless_set() {
  constexpr std::array names = {"MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_",
                                "GLIBC_TUNABLES"};
  if (std::none_of(names.begin(), names.end(),
                   [](const char* name) { return std::getenv(name) != nullptr; })) {
    keep_freed_memory();
  }
}

}  // namespace reprise::cli
