// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/pass_meter.h"

#include <algorithm>

#include "reprise/tape/thread_clock.h"

namespace reprise::tape {

PassMeter::PassMeter(Pass& pass, DeviceMemory& memory, bool times_ops)
    : pass_(pass), memory_(memory), times_ops_(times_ops), began_us_(thread_cpu_us()) {
  memory_.open(scope_);
  pass_.set_watch(this);
}

PassMeter::~PassMeter() {
  pass_.set_watch(nullptr);
  memory_.close(scope_);
}

void PassMeter::before_op() {
  if (times_ops_) {
    op_began_us_ = thread_cpu_us();
  }
}

void PassMeter::after_op(OpId id) {
  if (times_ops_ && id != kNoOp && id == static_cast<OpId>(times_.op_us.size())) {
    times_.op_us.push_back(thread_cpu_us() - op_began_us_);
  }
}

void PassMeter::before_replay() { replay_began_us_ = thread_cpu_us(); }

void PassMeter::after_replay() { times_.replay_us += thread_cpu_us() - replay_began_us_; }

void PassMeter::on_backward_end() {
  peak_bytes_ = std::max(peak_bytes_, memory_.total_peak_bytes(scope_) - scope_.start_bytes);
  times_.is_whole = std::this_thread::get_id() == thread_;
  times_.pass_us = times_.is_whole ? thread_cpu_us() - began_us_ : 0;
  is_over_ = true;
}

std::int64_t PassMeter::peak_bytes() {
  if (!is_over_) {
    on_backward_end();
  }
  return peak_bytes_;
}

}  // namespace reprise::tape
