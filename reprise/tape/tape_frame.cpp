// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/tape_frame.h"

#include <algorithm>
#include <utility>

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
  const std::lock_guard lock(tape_->mutex());
  tape_->before_op(op, keys, arguments);
  if (are_asked_of_ops()) {
    arguments_ = arguments.vec();  // those of the stack are consumed by the op
  }
  if (!regions_.empty()) {
    regions_.front()->require_not_kept(tape_->values_to_write(), op);
  }
}

void TapeFrame::after_op(const c10::OperatorHandle& /*op*/, OpArguments results) {
  const std::lock_guard lock(tape_->mutex());
  const OpId ops_before = tape_->ops();
  tape_->after_op(results);
  for (const auto& [region, index] : std::exchange(saved_arguments_, {})) {
    region->move_on(index);
  }
  for (const auto& region : regions_) {
    region->note_reads(tape_->last_reads());
  }
  if (tape_->ops() > ops_before && !regions_.empty()) {
    ask_policies(tape_->op(ops_before), results);
  }
  arguments_.clear();
}

bool TapeFrame::are_asked_of_ops() const {
  return std::any_of(regions_.begin(), regions_.end(),
                     [](const auto& region) { return region->choices().asks_of_ops(); });
}

void TapeFrame::ask_policies(const OpRecord& op, OpArguments results) {
  std::vector<ValueId> made;
  for (const MadeResult& result : op.results) {
    made.push_back(result.value);
  }
  for (const Write& write : op.written) {
    made.push_back(write.after);
  }
  std::int64_t bytes = 0;
  for (const ValueId value : made) {
    bytes += tape_->values().at(value).bytes;
  }
  for (const auto& region : regions_) {
    const c10::FunctionSchema& schema = op.op.schema();
    region->choices().note_op({.name = schema.name(),
                               .overload = schema.overload_name(),
                               .bytes = bytes,
                               .arguments = arguments_,
                               .results = results},
                              made);
  }
  for (const ValueId value : made) {
    keep_if_all_say_so(value);
  }
}

void TapeFrame::name_value(const at::Tensor& tensor, const std::string& name) {
  const std::lock_guard lock(tape_->mutex());
  const ValueId value = tape_->values().known_value(tensor);
  if (value == kNoValue || tape_->values().at(value).is_external()) {
    return;
  }
  for (const auto& region : regions_) {
    region->choices().note_name(value, name);
  }
  keep_if_all_say_so(value);
}

// Outer regions drop what inner ones keep, unless they keep it too.
void TapeFrame::keep_if_all_say_so(ValueId value) {
  std::optional<SaveAction> kept;
  std::string asked_by;
  for (const auto& region : regions_) {
    if (!region->made(value)) {
      break;  // nor have those inside of it
    }
    const std::optional<SaveAction> action = region->choices().save(value);
    if (!action) {
      regions_.front()->let_go(value);
      return;
    }
    if (!kept || !must_be_saved(*kept)) {
      kept = action;
      asked_by = region->name();
    }
  }
  regions_.front()->keep(value, *kept, asked_by);
}

std::shared_ptr<RecordedRegion> TapeFrame::enter_region(const RegionOptions& options) {
  const std::lock_guard lock(tape_->mutex());
  return regions_.emplace_back(std::make_shared<RecordedRegion>(
      tape_, options, regions_.empty() ? nullptr : regions_.back()));
}

}  // namespace reprise::tape
