// SPDX-License-Identifier: Apache-2.0
// StepRecorder: measures a pass while it runs, whatever its policy keeps or drops, and puts it as a
// StepTrace.
//
// The bytes of a trace are live bytes less those that only the pass holds. So they are the same
// under every policy: what would be live if nothing were kept for backward.
//
// Bytes are those of one device. A storage on another has none, so it costs nothing to keep.
//
// Invariants:
// 1. `own_bytes_` are the bytes of all storages that the pass holds and nobody else does, except
//    those that user code still held when backward began, which are part of what is resident.
// 2. A window of the peak lies between two changes of `own_bytes_`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "reprise/profile/parameter_names.h"
#include "reprise/profile/step_trace.h"
#include "reprise/profile/storage_numbers.h"
#include "reprise/tape/device_memory.h"
#include "reprise/tape/pass.h"
#include "reprise/tape/pass_watch.h"

namespace reprise::profile {

// A trace, and which values of the pass its storages and uses are.
struct RecordedPass {
  StepTrace trace;
  std::vector<tape::ValueId> root_of_storage;
  std::vector<std::int64_t> node_of_use;
  // No program can tell of this pass, and why.
  std::string fault;
};

class StepRecorder final : public tape::PassWatch {
 public:
  // Looks on from now on, before the first op, until finish(). What it is given must outlive that.
  // Ops have the label that is open on their thread, else that of the part whose parameters
  // they read, else that of the op before. `clock_us` tells the time that ops and nodes take; a
  // CostClock of the device if it is empty.
  StepRecorder(tape::Pass& pass, tape::DeviceMemory& memory, const ParameterNames& names,
               std::function<double()> clock_us = {});
  ~StepRecorder() override;
  StepRecorder(const StepRecorder&) = delete;
  StepRecorder& operator=(const StepRecorder&) = delete;

  // After the backward.
  RecordedPass finish();
  // After the backward: the most live bytes until its end, above those when the recorder was made.
  std::int64_t peak_bytes() {
    on_backward_end();
    return peak_bytes_;
  }
  // CPU time of the pass until then, replays included, and of those.
  double pass_us() const { return pass_us_; }
  double replay_us() const { return all_replays_us_; }

  void before_op() override;
  void after_op(tape::OpId id) override;
  void on_save(std::int64_t node, bool is_made) override;
  void on_use_begin(std::int64_t node, const std::string& name) override;
  void on_use_value(const tape::TensorRef& ref) override;
  void on_use_end() override;
  void on_backward_end() override;
  void before_replay() override;
  void after_replay() override;
  void before_change() override;
  void on_hold(tape::ValueId root, std::int64_t bytes) override;
  void on_drop(tape::ValueId root, std::int64_t bytes) override;

 private:
  enum class Phase { kBetweenOps, kOp, kUse, kAfterUse, kReplay, kOver };
  struct Op {
    double cost_us = 0;
    std::int64_t transient_bytes = 0;
    std::int64_t peak_bytes = 0;
    std::string label = {};
  };
  struct Use {
    std::int64_t node = 0;
    std::string name;
    double cost_us = 0;
    std::int64_t begin_bytes = 0;
    std::int64_t peak_bytes = 0;
    std::int64_t after_bytes = 0;
    std::vector<tape::TensorRef> needs = {};
  };
  struct Storage {
    bool is_held_by_user = false;
    bool is_own = false;  // its bytes are in own_bytes_
    tape::OpId released_at = 0;
    std::int64_t bytes = 0;
  };

  Storage& at(tape::ValueId root);
  bool is_counted(tape::ValueId root) const;
  std::int64_t net_live_bytes();
  void cut();
  void find_released();
  void begin_backward();
  std::string label_of(tape::OpId id) const;
  void note_made(tape::ValueId root);
  OpTrace trace_of(tape::OpId id, StorageNumbers& numbers) const;
  UseTrace trace_of(const Use& use, StorageNumbers& numbers) const;
  StorageTrace trace_of(tape::ValueId root) const;

  tape::Pass& pass_;
  tape::DeviceMemory& memory_;
  const ParameterNames& names_;
  std::function<double()> clock_us_;
  tape::PeakScope scope_;
  std::int64_t start_bytes_ = 0;
  std::int64_t peak_bytes_ = 0;
  std::int64_t own_bytes_ = 0;
  Phase phase_ = Phase::kBetweenOps;
  Phase phase_before_replay_ = Phase::kBetweenOps;
  // Of the op or use under way.
  std::int64_t live_before_ = 0;
  std::int64_t window_peak_ = 0;
  double began_us_ = 0;
  double replay_us_ = 0;
  double replay_began_us_ = 0;
  std::vector<Op> ops_;
  std::vector<Use> uses_;
  std::unordered_map<std::int64_t, std::string> node_labels_;
  std::vector<Storage> storages_;            // per root
  std::vector<tape::ValueId> held_by_user_;  // of storages that ops made
  bool is_in_backward_ = false;
  double pass_began_us_ = 0;
  double forward_us_ = 0;
  double all_replays_us_ = 0;
  double pass_us_ = 0;
  std::string fault_;
};

}  // namespace reprise::profile
