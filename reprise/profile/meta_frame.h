// SPDX-License-Identifier: Apache-2.0
// MetaFrame: ops of a scope that are to run on the meta device, and a clock that goes on by what
// each of them is estimated to take.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reprise/profile/engine_watch.h"
#include "reprise/profile/estimated_cost.h"
#include "reprise/tape/frame.h"
#include "reprise/tape/meta_allocator.h"
#include "reprise/tape/pass_frame.h"

namespace reprise::profile {

class MetaFrame final : public tape::Frame {
 public:
  explicit MetaFrame(const MachineSpeed& speed) : speed_(speed) {}

  // Shows the ops to `passes` as well, which must outlive that; null: to nobody.
  void show_to(tape::PassFrame* passes) { passes_ = passes; }
  double clock_us() const { return clock_us_; }
  // The op that has begun and not ended; "": none.
  const std::string& op_under_way() const { return op_under_way_; }
  // It has thrown.
  void give_up_op();

  std::unique_ptr<torch::autograd::SavedVariableHooks> make_hooks() override;
  bool changes_arguments() const override { return true; }
  // What makes a tensor out of nothing makes it on the meta device.
  void change_arguments(const c10::OperatorHandle& op, torch::jit::Stack& stack) override;
  void before_op(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                 tape::OpArguments arguments) override;
  void after_op(const c10::OperatorHandle& op, tape::OpArguments results) override;
  bool is_rerun() const override { return false; }
  bool sees_views() const override { return false; }

 private:
  bool is_sum_in_place(tape::OpArguments arguments) const;

  MachineSpeed speed_;
  EngineWatch engine_;
  tape::PassFrame* passes_ = nullptr;
  double clock_us_ = 0;
  // The op under way.
  std::string op_under_way_;
  std::vector<c10::IValue> arguments_;
  std::optional<tape::UncountedMeta> sum_in_place_;
  std::int64_t workspace_bytes_ = 0;
};

}  // namespace reprise::profile
