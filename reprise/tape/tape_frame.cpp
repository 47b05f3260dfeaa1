// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/tape_frame.h"

#include "reprise/tape/saving_nodes.h"

namespace reprise::tape {

std::unique_ptr<torch::autograd::SavedVariableHooks> TapeFrame::make_hooks() {
  return make_value_handle(regions_.back(), this);
}

// The handle was made for the region that is innermost now.
void TapeFrame::on_save(std::int64_t index, const at::Tensor& tensor) {
  const std::shared_ptr<RecordedRegion> region = regions_.back();
  for (const auto& each : regions_) {
    each->note_reads({region->value_id(index)});
  }
  if (!is_result_of_newest_node(tensor)) {
    saved_arguments_.emplace_back(region, index);
  }
}

void TapeFrame::before_op(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                          OpArguments arguments) {
  tape_->before_op(op, keys, arguments);
}

void TapeFrame::after_op(const c10::OperatorHandle& /*op*/, OpArguments results) {
  tape_->after_op(results);
  for (const auto& [region, index] : std::exchange(saved_arguments_, {})) {
    region->move_on(index);
  }
  for (const auto& region : regions_) {
    region->note_reads(tape_->last_reads());
  }
}

std::shared_ptr<RecordedRegion> TapeFrame::enter_region(const RegionOptions& options) {
  return regions_.emplace_back(std::make_shared<RecordedRegion>(
      tape_, options, regions_.empty() ? nullptr : regions_.back()));
}

}  // namespace reprise::tape
