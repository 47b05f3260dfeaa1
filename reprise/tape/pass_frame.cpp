// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/pass_frame.h"

#include <c10/core/GradMode.h>

#include "reprise/tape/saving_nodes.h"

namespace reprise::tape {

void PassFrame::begin_pass() {
  if (pass_ && pass_->is_over()) {
    end_pass();
  }
  if (!pass_) {
    saved_arguments_.clear();  // of a node without an op
    pass_ = maker_.begin();
  }
}

void PassFrame::end_pass() {
  if (!pass_) {
    return;
  }
  pass_->end_forward();
  const std::shared_ptr<Pass> pass = std::exchange(pass_, nullptr);
  maker_.end(pass);
}

// Autograd saves a tensor: of forward, or of a backward that makes a graph itself.
std::unique_ptr<torch::autograd::SavedVariableHooks> PassFrame::make_hooks() {
  begin_pass();
  return make_value_handle(pass_, this);
}

void PassFrame::on_save(std::int64_t index, const at::Tensor& tensor) {
  if (!is_result_of_newest_node(tensor)) {
    saved_arguments_.push_back(index);
  }
}

bool PassFrame::is_to_be_recorded() {
  if (c10::GradMode::is_enabled()) {
    begin_pass();
  } else if (current_backward() != kNoBackward) {
    return false;
  }
  return pass_ && !pass_->is_over();
}

void PassFrame::before_op(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                          OpArguments arguments) {
  is_recording_op_ = is_to_be_recorded();
  if (is_recording_op_) {
    pass_->before_op(op, keys, arguments);
  }
}

void PassFrame::after_op(const c10::OperatorHandle& /*op*/, OpArguments results) {
  if (!is_recording_op_) {
    return;
  }
  pass_->after_op(results);
  for (const std::int64_t index : saved_arguments_) {
    pass_->move_on(index);
  }
  saved_arguments_.clear();
}

}  // namespace reprise::tape
