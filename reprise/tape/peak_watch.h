// SPDX-License-Identifier: Apache-2.0
// PeakWatch: the most bytes that were live during a pass, until its backward was over.
#pragma once

#include <cstdint>

#include "reprise/tape/device_memory.h"
#include "reprise/tape/pass.h"
#include "reprise/tape/pass_watch.h"

namespace reprise::tape {

class PeakWatch final : public PassWatch {
 public:
  // Both must outlive the watch.
  PeakWatch(Pass& pass, DeviceMemory& memory);
  ~PeakWatch() override;
  PeakWatch(const PeakWatch&) = delete;
  PeakWatch& operator=(const PeakWatch&) = delete;

  // Above what was live when the watch was made.
  std::int64_t peak_bytes();

  void on_backward_end() override;

 private:
  Pass& pass_;
  DeviceMemory& memory_;
  PeakScope scope_;
  std::int64_t peak_bytes_ = 0;
  bool is_over_ = false;
};

}  // namespace reprise::tape
