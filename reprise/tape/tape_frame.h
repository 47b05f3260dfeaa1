// SPDX-License-Identifier: Apache-2.0
// TapeFrame: shows the ops of a scope to a tape, and gives what autograd saves to the innermost
// recorded region.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reprise/tape/frame.h"
#include "reprise/tape/recorded_region.h"
#include "reprise/tape/tape.h"

namespace reprise::tape {

class TapeFrame final : public Frame, public SaveListener {
 public:
  explicit TapeFrame(std::shared_ptr<Tape> tape) : tape_(std::move(tape)) {}

  std::unique_ptr<torch::autograd::SavedVariableHooks> make_hooks() override;
  void before_op(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                 OpArguments arguments) override;
  void after_op(const c10::OperatorHandle& op, OpArguments results) override;
  bool is_rerun() const override { return false; }
  bool sees_views() const override { return false; }
  void on_save(std::int64_t index, const at::Tensor& tensor) override;

  const std::shared_ptr<Tape>& tape() const { return tape_; }
  // Regions nest: the last one entered is the first one left.
  std::shared_ptr<RecordedRegion> enter_region(const RegionOptions& options);
  void leave_region() { regions_.pop_back(); }
  // The user names what lies in the tensor's memory.
  void name_value(const at::Tensor& tensor, const std::string& name);

 private:
  bool are_asked_of_ops() const;
  void ask_policies(const OpRecord& op, OpArguments results);
  void keep_if_all_say_so(ValueId value);

  std::shared_ptr<Tape> tape_;  // owned with the regions on it
  std::vector<std::shared_ptr<RecordedRegion>>
      regions_;                         // innermost last; owned by their nodes too
  std::vector<c10::IValue> arguments_;  // of the op under way, if a policy is to see them
  // Values saved as arguments of the op that comes next.
  std::vector<std::pair<std::shared_ptr<RecordedRegion>, std::int64_t>> saved_arguments_;
};

}  // namespace reprise::tape
