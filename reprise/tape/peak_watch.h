// SPDX-License-Identifier: Apache-2.0
// PeakWatch: the most bytes that were live during a pass, until its backward was over.
#pragma once

#include <cstdint>
#include <string>

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

  void before_op() override {}
  void after_op(OpId /*id*/) override {}
  void on_save(std::int64_t /*node*/, bool /*is_made*/) override {}
  void on_use_begin(std::int64_t /*node*/, const std::string& /*name*/) override {}
  void on_use_value(const TensorRef& /*ref*/) override {}
  void on_use_end() override {}
  void on_backward_end() override;
  void before_replay() override {}
  void after_replay() override {}
  void before_change() override {}
  void on_hold(ValueId /*root*/, std::int64_t /*bytes*/) override {}
  void on_drop(ValueId /*root*/, std::int64_t /*bytes*/) override {}

 private:
  Pass& pass_;
  DeviceMemory& memory_;
  PeakScope scope_;
  std::int64_t peak_bytes_ = 0;
  bool is_over_ = false;
};

}  // namespace reprise::tape
