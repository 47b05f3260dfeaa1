// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/rerun_frame.h"

#include <sstream>
#include <utility>

#include "reprise/tape/raise.h"

namespace reprise::tape {
namespace {

// A value saved by the graph that the rerun builds. Held in full: the function may compute
// gradients through that graph before it returns.
class KeptValue final : public torch::autograd::SavedVariableHooks {
 public:
  explicit KeptValue(RerunFrame& frame) : frame_(frame) {}

  void call_pack_hook(const at::Tensor& tensor) override {
    value_ = tensor.tensor_data();
    frame_.save(tensor);
  }
  at::Tensor call_unpack_hook() override { return value_; }

 private:
  RerunFrame& frame_;  // packs happen at once, while the frame is on the stack
  at::Tensor value_;
};

// "[2, 3] Float cpu", and for which node it was saved if that is what differs.
std::string saved_text(const ValueMetadata& metadata, std::int64_t node, std::int64_t other_node) {
  if (node == other_node) {
    return metadata.text();
  }
  std::ostringstream out;
  out << metadata.text() << " for the node " << node << " of those that save values";
  return out.str();
}

}  // namespace

RerunFrame::RerunFrame(Region& region, std::int64_t last_needed)
    : region_(region), other_random_(&region.watch_.random), last_needed_(last_needed) {
  watch_.keeps_random_states = false;
}

std::unique_ptr<torch::autograd::SavedVariableHooks> RerunFrame::make_hooks() {
  return std::make_unique<KeptValue>(*this);
}

void RerunFrame::before_op(const c10::OperatorHandle& op, c10::DispatchKeySet /*keys*/,
                           OpArguments arguments) {
  watch_.before_op(op, arguments);
  if (region_.options_.preserves_rng && is_random(op)) {
    other_random_.before_random_op(arguments);
  }
}

void RerunFrame::after_op(const c10::OperatorHandle& /*op*/, OpArguments results) {
  watch_.after_op(results);
  awaits_fill_ = false;
  if (stops_after_op_) {
    stop();
  }
}

void RerunFrame::save(const at::Tensor& tensor) {
  const std::int64_t position = next_++;
  const std::int64_t node = saving_nodes_.current();
  if (was_stopped_) {
    stop();  // the user's function caught the first one
  }
  if (position >= static_cast<std::int64_t>(region_.slots_.size())) {
    return;  // counted; `Region::check_rerun` compares the numbers
  }
  Slot& slot = region_.slot(position);
  const auto check = region_.options_.determinism_check;
  if (check != DeterminismCheck::kNone && !mismatch_) {
    const ValueMetadata metadata = ValueMetadata::of(tensor);
    if (metadata != slot.metadata || node != slot.node) {
      mismatch_ = MismatchDetails{
          .region = region_.options_.name,
          .position = position,
          .saved_values = static_cast<std::int64_t>(region_.slots_.size()),
          .saved_op = op_text(region_.watch_.ops, slot.op),
          .saved = saved_text(slot.metadata, slot.node, node),
          .recomputed = saved_text(metadata, node, slot.node),
          .first_different_op = first_difference(region_.watch_.ops, watch_.ops, false)};
      if (!region_.options_.debug) {
        raise(ReplayMismatch(*mismatch_));
      }
    }
  }
  if (slot.is_needed && !slot.value.defined()) {
    slot.value = tensor.tensor_data();
    slot.value_version = SeenVersion(slot.value);
  }
  awaits_fill_ = awaits_fill_ || slot.is_filled_late;
  // A region that is asked in the midst of its first run, for a gradient that its function
  // computes, must not run ahead of that.
  const bool stops_early =
      (region_.options_.stops_early && !region_.options_.debug) || !region_.is_closed_;
  if (position == last_needed_ && stops_early) {
    // A buffer that the op fills only now is complete one op later.
    if (awaits_fill_) {
      stops_after_op_ = true;
    } else {
      stop();
    }
  }
}

void RerunFrame::stop() {
  was_stopped_ = true;
  throw EarlyStop();
}

}  // namespace reprise::tape
