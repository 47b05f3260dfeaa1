// SPDX-License-Identifier: Apache-2.0
// PassMeter: the most bytes that were live during a pass, until its backward was over, and the time
// that it took.
#pragma once

#include <cstdint>
#include <thread>
#include <vector>

#include "reprise/tape/device_memory.h"
#include "reprise/tape/pass.h"
#include "reprise/tape/pass_watch.h"

namespace reprise::tape {

// In microseconds of CPU time of the pass's own thread.
struct PassTimes {
  bool is_whole = false;           // backward ended on that thread too
  double pass_us = 0;              // forward and backward, replays included
  double replay_us = 0;            // of that, all replays
  std::vector<double> op_us = {};  // of each recorded op of forward, if asked for
};

class PassMeter final : public PassWatch {
 public:
  // Both must outlive the meter. Timing ops takes two readings of the clock for each.
  PassMeter(Pass& pass, DeviceMemory& memory, bool times_ops);
  ~PassMeter() override;
  PassMeter(const PassMeter&) = delete;
  PassMeter& operator=(const PassMeter&) = delete;

  // Above what was live when the meter was made.
  std::int64_t peak_bytes();
  const PassTimes& times() const { return times_; }

  void before_op() override;
  void after_op(OpId id) override;
  void before_replay() override;
  void after_replay() override;
  void on_backward_end() override;

 private:
  Pass& pass_;
  DeviceMemory& memory_;
  PeakScope scope_;
  bool times_ops_;
  std::int64_t peak_bytes_ = 0;
  PassTimes times_;
  double began_us_ = 0;
  double op_began_us_ = 0;
  double replay_began_us_ = 0;
  bool is_over_ = false;
  std::thread::id thread_ = std::this_thread::get_id();
};

}  // namespace reprise::tape
