// SPDX-License-Identifier: Apache-2.0
// Region: what a checkpointed region leaves behind after its first run, owned by the graph.
//
// Invariants:
// 1. Nodes of the graph own the region, through saved-value handles and pre-hooks; the region owns
//    no node and no tensor with history. So no cycle, and it goes when the graph goes.
// 2. Once no handle is left the region keeps nothing but its name.
// 3. A slot has a value only between a rerun and its last use in that backward, which may also be
//    the end of a backward that threw.
#pragma once

#include <any>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "reprise/tape/ambient_state.h"
#include "reprise/tape/backward_end.h"
#include "reprise/tape/op_watch.h"
#include "reprise/tape/patient_mutex.h"
#include "reprise/tape/region.h"
#include "reprise/tape/region_inputs.h"
#include "reprise/tape/region_slots.h"
#include "reprise/tape/region_values.h"
#include "reprise/tape/replay_mismatch.h"
#include "reprise/tape/saving_nodes.h"

namespace reprise::tape {

class RerunFrame;

class Region final : public RegionValues, public std::enable_shared_from_this<Region> {
 public:
  Region(const RegionOptions& options, const std::vector<at::Tensor>& inputs, Rerun rerun);
  ~Region() override;
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  // In the first run.
  OpWatch& watch() { return watch_; }
  std::vector<std::string>& recorded_ops() { return recorded_ops_; }
  const RegionOptions& options() const { return options_; }
  std::int64_t add_value(const at::Tensor& tensor) override;
  // Returns whether the tensor is a result of the op that has just run, not an argument of the
  // next.
  bool describe_slot(std::int64_t index, const at::Tensor& tensor);
  Slot& slot(std::int64_t index) { return slots_[static_cast<std::size_t>(index)]; }
  std::int64_t needed() const { return needed_; }  // slots that a node of the graph still holds
  // The first run is over. Returns false if no handle is left: nothing will ever be asked for.
  bool close();

  // In backward. Thread-safe.
  // Reruns the region unless that was done in this backward already.
  void prepare() override;
  // The slot's value; reruns the region if it is not there.
  at::Tensor value(std::int64_t index) override;
  // The handle of a slot is gone.
  void release(std::int64_t index) override;
  void drop_value(std::int64_t index) override;

 private:
  friend class RerunFrame;

  void rerun();
  void run_again(RerunFrame& frame);
  void run_restored(RerunFrame& frame, std::exception_ptr& failure);
  // The rerun's values in memory that it alone has written (from_blob, say), before that is undone.
  void keep_undone_writes(const RestoredContents& contents);
  void check_rerun(RerunFrame& frame);
  void drop_values();
  void end_backward(int backward);
  std::int64_t last_needed() const;

  RegionOptions options_;
  RegionInputs inputs_;
  Rerun rerun_;
  AmbientState ambient_;
  std::vector<std::any> user_states_;
  OpWatch watch_;
  SavingNodes saving_nodes_;
  std::vector<std::string> recorded_ops_;  // with options_.debug

  PatientMutex mutex_;  // recursive: a rerun may compute gradients of its own
  std::vector<Slot> slots_;
  std::int64_t needed_ = 0;  // slots with a handle
  bool is_closed_ = false;
  bool is_rerunning_ = false;
  int filled_for_ = kNoBackward;  // the backward that the values belong to
};

}  // namespace reprise::tape
