// SPDX-License-Identifier: Apache-2.0
// MemoryMeter for a Python process: a shared library for ctypes, so that both sides of a comparison
// are measured by the same code.
#include <cstdint>
#include <optional>

#include "reprise/memory.h"

namespace {

// One meter, opened anew for each step. A global, as C functions have nowhere else to keep it.
std::optional<reprise::MemoryMeter>& meter() {
  static std::optional<reprise::MemoryMeter> instance;
  return instance;
}

}  // namespace

extern "C" {

void meter_start() { meter().emplace(); }
// Above what was live at meter_start(). REQUIRES: meter_start() was called.
std::int64_t meter_live_bytes() { return meter()->live_bytes() - meter()->start_bytes(); }
std::int64_t meter_peak_bytes() { return meter()->peak_bytes(); }

}  // extern "C"
