// SPDX-License-Identifier: Apache-2.0
// PassFrame: shows the ops of a step to its passes, one after another, and gives them what autograd
// saves.
//
// A step is a row of passes: a forward with its backward each. One begins with an op that autograd
// may look at, and is over once a backward has run and no node can ask for anything any more. What
// runs between two passes (an optimizer, say), and in a backward that is not itself differentiated,
// is not recorded.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "reprise/tape/frame.h"
#include "reprise/tape/pass.h"

namespace reprise::tape {

// Makes the next pass; called before its first op. And told when one is over: it has had its
// backward, or the step has ended.
struct PassMaker {
  std::function<std::shared_ptr<Pass>()> begin;
  std::function<void(const std::shared_ptr<Pass>&)> end;
};

class PassFrame final : public Frame, public SaveListener {
 public:
  explicit PassFrame(PassMaker maker) : maker_(std::move(maker)) {}

  std::unique_ptr<torch::autograd::SavedVariableHooks> make_hooks() override;
  void before_op(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                 OpArguments arguments) override;
  void after_op(const c10::OperatorHandle& op, OpArguments results) override;
  bool is_rerun() const override { return false; }
  bool sees_views() const override { return false; }
  bool sees_backward() const override { return false; }
  void on_save(std::int64_t index, const at::Tensor& tensor) override;

  const std::shared_ptr<Pass>& pass() const { return pass_; }
  // The step is over, or an exception ends it.
  void end_pass();

 private:
  bool is_to_be_recorded();
  void begin_pass();

  PassMaker maker_;
  std::shared_ptr<Pass> pass_;  // owned with the graph
  bool is_recording_op_ = false;
  // Values saved as arguments of the op that comes next.
  std::vector<std::int64_t> saved_arguments_;
};

}  // namespace reprise::tape
