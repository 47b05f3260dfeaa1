// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/peak_watch.h"

#include <algorithm>

namespace reprise::tape {

PeakWatch::PeakWatch(Pass& pass, DeviceMemory& memory) : pass_(pass), memory_(memory) {
  memory_.open(scope_);
  pass_.set_watch(this);
}

PeakWatch::~PeakWatch() {
  pass_.set_watch(nullptr);
  memory_.close(scope_);
}

void PeakWatch::on_backward_end() {
  peak_bytes_ = std::max(peak_bytes_, memory_.total_peak_bytes(scope_) - scope_.start_bytes);
  is_over_ = true;
}

std::int64_t PeakWatch::peak_bytes() {
  if (!is_over_) {
    on_backward_end();
  }
  return peak_bytes_;
}

}  // namespace reprise::tape
