// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/region_core.h"

#include <atomic>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include <ATen/core/LegacyTypeDispatch.h>

#include "reprise/tape/backward_end.h"
#include "reprise/tape/live_count.h"
#include "reprise/tape/node_uses.h"
#include "reprise/tape/raise.h"
#include "reprise/tape/rerun_frame.h"
#include "reprise/tape/user_states.h"

namespace reprise::tape {
namespace {

std::atomic<std::int64_t> live_count{0};

}  // namespace

void count_live(std::int64_t change) { live_count += change; }

std::int64_t live_hooks() { return live_count; }

Region::Region(const RegionOptions& options, const std::vector<at::Tensor>& inputs, Rerun rerun)
    : options_(options),
      inputs_(inputs),
      rerun_(std::move(rerun)),
      ambient_(ambient_state()),
      user_states_(saved_states(options.states)) {
  if (options.policy || options.name_policy) {
    throw std::invalid_argument("checkpoint: the region '" + options.name +
                                "' runs its function again as a whole, so it cannot keep single "
                                "values: expected Recompute::kReplay with a policy");
  }
  watch_.keeps_random_states = options.preserves_rng;
  if (options.preserves_rng) {
    watch_.random.watch(options.generators);
  }
  count_live(1);
}

Region::~Region() { count_live(-1); }

std::int64_t Region::add_value(const at::Tensor& /*tensor*/) {
  const std::lock_guard lock(mutex_);
  slots_.emplace_back().is_needed = true;
  ++needed_;
  return static_cast<std::int64_t>(slots_.size()) - 1;
}

bool Region::describe_slot(std::int64_t index, const at::Tensor& tensor) {
  Slot& described = slot(index);
  described.metadata = ValueMetadata::of(tensor);
  described.node = saving_nodes_.current();
  const bool is_result = is_result_of_newest_node(tensor);
  described.op = static_cast<std::int64_t>(watch_.ops.size()) - (is_result ? 1 : 0);
  return is_result;
}

bool Region::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  watch_.outside.forget_inside();
  watch_.random.forget_unused();
  inputs_.note_writes(watch_.outside);
  if (options_.stats) {
    options_.stats->add(
        options_.name,
        {.kept_bytes = needed_ > 0 ? watch_.outside.bytes() + watch_.random.bytes() : 0,
         .unpreserved_random = watch_.unpreserved_random,
         .idle_regions = needed_ == 0 ? 1 : 0});
  }
  return needed_ > 0;
}

void Region::prepare() {
  const std::lock_guard lock(mutex_);
  const int backward = current_backward();
  if (needed_ > 0 && (backward == kNoBackward || backward != filled_for_)) {
    rerun();
  }
}

at::Tensor Region::value(std::int64_t index) {
  note_node_use(*this, index);
  const std::lock_guard lock(mutex_);
  if (!slot(index).value.defined()) {
    rerun();
  }
  return checked_value(slot(index), options_.name);
}

void Region::release(std::int64_t index) {
  // Freed after the lock: deleters and captures are somebody else's code.
  at::Tensor value;
  RegionOptions options;
  RegionInputs inputs({});
  Rerun rerun;
  OpWatch watch;
  std::vector<std::any> user_states;
  const std::lock_guard lock(mutex_);
  Slot& released = slot(index);
  released.is_needed = false;
  value = std::move(released.value);
  --needed_;
  if (needed_ == 0 && is_closed_ && !is_rerunning_) {
    options.name = options_.name;
    std::swap(options, options_);
    std::swap(inputs, inputs_);
    std::swap(rerun, rerun_);
    std::swap(watch, watch_);
    std::swap(user_states, user_states_);
    recorded_ops_.clear();
  }
}

void Region::drop_value(std::int64_t index) {
  const std::lock_guard lock(mutex_);
  slot(index).value.reset();
}

void Region::drop_values() {
  for (Slot& each : slots_) {
    each.value.reset();
  }
  filled_for_ = kNoBackward;
}

void Region::end_backward(int backward) {
  const std::lock_guard lock(mutex_);
  if (filled_for_ == backward) {
    drop_values();
  }
}

std::int64_t Region::last_needed() const {
  for (auto i = static_cast<std::int64_t>(slots_.size()) - 1; i >= 0; --i) {
    if (slots_[static_cast<std::size_t>(i)].is_needed) {
      return i;
    }
  }
  return -1;
}

void Region::rerun() {
  if (filled_for_ != current_backward()) {
    drop_values();  // left over from a backward that threw
  }
  RerunFrame frame(*this, last_needed());
  try {
    is_rerunning_ = true;
    watch_.outside.check_unchanged(options_.name);
    run_again(frame);
    check_rerun(frame);
    is_rerunning_ = false;
  } catch (...) {
    is_rerunning_ = false;
    drop_values();
    throw;
  }
  if (options_.stats) {
    options_.stats->add(
        options_.name,
        {.reruns = 1, .recomputed_ops = static_cast<std::int64_t>(frame.watch().ops.size())});
  }
  filled_for_ = current_backward();
  if (filled_for_ != kNoBackward) {
    at_end_of_backward(
        [weak_region = weak_from_this(), backward = filled_for_](bool /*has_returned*/) {
          if (const auto region = weak_region.lock()) {
            region->end_backward(backward);
          }
        });
  }
}

void Region::run_again(RerunFrame& frame) {
  std::exception_ptr failure;
  run_restored(frame, failure);
  if (failure) {
    std::rethrow_exception(failure);
  }
}

void Region::run_restored(RerunFrame& frame, std::exception_ptr& failure) {
  std::vector<at::Tensor> inputs = inputs_.materialise(watch_.outside);
  const RestoredRandomStates random(watch_.random, frame.other_random());
  const RestoredUserStates states(options_.states, user_states_, failure);
  const RestoredContents contents(watch_.outside, frame.watch().outside);
  const RestoredHistory history(watch_.outside);
  const RestoredAmbientState ambient(ambient_);
  const std::shared_ptr<void> context =
      options_.recompute_context ? options_.recompute_context() : nullptr;
  const FrameScope scope(frame);
  std::optional<RecordedOps> recorded;
  if (options_.debug) {
    recorded.emplace(frame.recorded_ops());
  }
  try {
    rerun_(std::move(inputs));
  } catch (...) {
    // After the early stop all that was needed is there, whatever the function made of its
    // exception (TorchScript wraps it, others add where they were). With debug a difference is kept
    // to the end, and what the function throws now follows from it.
    if (!frame.was_stopped() && !frame.mismatch()) {
      throw;
    }
  }
  keep_undone_writes(contents);
}

void Region::keep_undone_writes(const RestoredContents& contents) {
  if (!contents.undoes_other_writes()) {
    return;
  }
  for (Slot& each : slots_) {
    // A value that was changed in place since its save is an error anyway.
    if (each.value.defined() && each.value.has_storage() && each.value_version.is_unchanged() &&
        contents.undoes_write_to(each.value.storage().unsafeGetStorageImpl())) {
      const UnseenOps unseen;
      const at::AutoDispatchBelowADInplaceOrView below_autograd;
      each.value = each.value.clone();
      each.value_version = SeenVersion(each.value);
    }
  }
}

void Region::check_rerun(RerunFrame& frame) {
  const auto saved = static_cast<std::int64_t>(slots_.size());
  std::optional<MismatchDetails> mismatch = frame.mismatch();
  const bool is_whole = !frame.was_stopped() && is_closed_;
  const bool counts_differ = frame.saved_values() <= last_needed() ||
                             (is_whole && options_.determinism_check != DeterminismCheck::kNone &&
                              frame.saved_values() != saved);
  if (!mismatch && counts_differ) {
    mismatch = MismatchDetails{
        .region = options_.name,
        .saved_values = saved,
        .saved = std::to_string(saved) + " values",
        .recomputed = std::to_string(frame.saved_values()) + " values",
        .first_different_op = first_difference(watch_.ops, frame.watch().ops, true)};
  }
  if (!mismatch && options_.determinism_check == DeterminismCheck::kValues) {
    for (std::int64_t i = 0; i < saved && !mismatch; ++i) {
      const Slot& each = slot(i);
      // What lies in memory that the region writes shows the present bytes again by now.
      // A value that was changed in place since is an error of its own, once it is asked for.
      const bool is_comparable =
          each.value.defined() && each.hash && each.value_version.is_unchanged() &&
          watch_.outside.written(each.value.storage().unsafeGetStorageImpl()) == nullptr;
      if (is_comparable && hash_of_bytes(each.value) != each.hash) {
        mismatch = MismatchDetails{
            .region = options_.name,
            .position = i,
            .saved_values = saved,
            .saved_op = op_text(watch_.ops, each.op),
            .saved = "bytes of " + each.metadata.text(),
            .recomputed = "other bytes",
            .first_different_op = first_difference(watch_.ops, frame.watch().ops, false)};
      }
    }
  }
  if (mismatch) {
    if (options_.debug) {
      mismatch->first_ops = recorded_ops_;
      mismatch->rerun_ops = std::move(frame.recorded_ops());
    }
    raise(ReplayMismatch(*std::move(mismatch)));
  }
}

}  // namespace reprise::tape
