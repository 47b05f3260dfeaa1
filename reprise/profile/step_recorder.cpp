// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/step_recorder.h"

#include <algorithm>
#include <utility>

#include "reprise/profile/cost_clock.h"
#include "reprise/tape/label_stack.h"

namespace reprise::profile {

StepRecorder::StepRecorder(tape::Pass& pass, tape::DeviceMemory& memory,
                           const ParameterNames& names, std::function<double()> clock_us)
    : pass_(pass), memory_(memory), names_(names), clock_us_(std::move(clock_us)) {
  if (!clock_us_) {
    clock_us_ = [clock = CostClock(memory.device())]() mutable { return clock.now_us(); };
  }
  memory_.open(scope_);
  start_bytes_ = scope_.start_bytes;
  pass_began_us_ = clock_us_();
  pass_.set_watch(this);
}

StepRecorder::~StepRecorder() {
  pass_.set_watch(nullptr);
  memory_.close(scope_);
}

StepRecorder::Storage& StepRecorder::at(tape::ValueId root) {
  const auto index = static_cast<std::size_t>(root);
  if (index >= storages_.size()) {
    storages_.resize(index + 1);
  }
  return storages_[index];
}

bool StepRecorder::is_counted(tape::ValueId root) const {
  return memory_.counts(pass_.tape().values().at(root).device);
}

std::int64_t StepRecorder::net_live_bytes() {
  return memory_.live_bytes() - start_bytes_ - own_bytes_;
}

// Ends a window of the peak and counts it where it belongs.
void StepRecorder::cut() {
  const std::int64_t peak = memory_.restart(scope_) - start_bytes_;
  const std::int64_t net = peak - own_bytes_;
  if (phase_ != Phase::kOver) {
    peak_bytes_ = std::max(peak_bytes_, peak);
  }
  switch (phase_) {
    case Phase::kBetweenOps:
      if (!ops_.empty()) {
        ops_.back().peak_bytes = std::max(ops_.back().peak_bytes, net);
      }
      break;
    case Phase::kOp:
      window_peak_ = std::max(window_peak_, net);
      break;
    case Phase::kUse:
      uses_.back().peak_bytes = std::max(uses_.back().peak_bytes, net);
      break;
    case Phase::kAfterUse:
      uses_.back().after_bytes = std::max(uses_.back().after_bytes, net);
      break;
    case Phase::kReplay:
    case Phase::kOver:
      break;
  }
}

// Storages that user code has let go of since the last op.
void StepRecorder::find_released() {
  std::erase_if(held_by_user_, [this](tape::ValueId root) {
    if (pass_.is_held_by_others(root)) {
      return false;
    }
    Storage& storage = at(root);
    storage.is_held_by_user = false;
    storage.released_at = static_cast<tape::OpId>(ops_.size()) - 1;
    if (pass_.holds(root)) {
      storage.is_own = true;
      own_bytes_ += storage.bytes;
    }
    return true;
  });
}

void StepRecorder::before_op() {
  if (is_in_backward_) {
    return;
  }
  cut();
  find_released();
  phase_ = Phase::kOp;
  window_peak_ = 0;
  live_before_ = net_live_bytes();
  began_us_ = clock_us_();
}

std::string StepRecorder::label_of(tape::OpId id) const {
  if (!tape::current_label().empty()) {
    return tape::current_label();
  }
  std::string part;
  pass_.tape().op(id).for_each_read([&](const tape::TensorRef& ref) {
    if (part.empty()) {
      part = names_.part_of(pass_.tape().values().storage_of(ref.value).unsafeGetStorageImpl());
    }
  });
  return part.empty() && !ops_.empty() ? ops_.back().label : part;
}

void StepRecorder::note_made(tape::ValueId root) {
  Storage& storage = at(root);
  storage.is_held_by_user = true;
  storage.bytes = is_counted(root) ? pass_.tape().values().at(root).bytes : 0;
  held_by_user_.push_back(root);
}

void StepRecorder::after_op(tape::OpId id) {
  if (is_in_backward_) {
    return;
  }
  const double cost_us = clock_us_() - began_us_;
  cut();
  phase_ = Phase::kBetweenOps;
  if (id == tape::kNoOp) {
    if (!ops_.empty()) {
      ops_.back().peak_bytes = std::max(ops_.back().peak_bytes, window_peak_);
    }
    return;
  }
  ops_.push_back({.cost_us = cost_us,
                  .transient_bytes = std::max<std::int64_t>(0, window_peak_ - live_before_),
                  .peak_bytes = window_peak_,
                  .label = label_of(id)});
  for (const tape::MadeResult& made : pass_.tape().op(id).results) {
    note_made(made.value);
  }
}

void StepRecorder::on_save(std::int64_t node, bool is_made) {
  if (is_in_backward_ && is_made) {
    fault_ = "tensors are saved for backward after a backward has begun";
  }
  // The node's op has yet to run, or has just run.
  node_labels_.insert_or_assign(node, tape::current_label().empty() && !ops_.empty()
                                          ? ops_.back().label
                                          : tape::current_label());
}

void StepRecorder::begin_backward() {
  if (is_in_backward_) {
    return;
  }
  find_released();
  is_in_backward_ = true;
  forward_us_ = clock_us_() - pass_began_us_;
}

void StepRecorder::on_use_begin(std::int64_t node, const std::string& name) {
  cut();
  begin_backward();
  phase_ = Phase::kUse;
  replay_us_ = 0;
  uses_.push_back({.node = node, .name = name, .begin_bytes = net_live_bytes()});
  began_us_ = clock_us_();
}

void StepRecorder::on_use_value(const tape::TensorRef& ref) { uses_.back().needs.push_back(ref); }

void StepRecorder::on_use_end() {
  cut();
  uses_.back().cost_us = clock_us_() - began_us_ - replay_us_;
  phase_ = Phase::kAfterUse;
}

void StepRecorder::on_backward_end() {
  if (phase_ == Phase::kOver) {
    return;
  }
  cut();
  pass_us_ = clock_us_() - pass_began_us_;
  phase_ = Phase::kOver;
}

void StepRecorder::before_replay() {
  cut();
  phase_before_replay_ = std::exchange(phase_, Phase::kReplay);
  replay_began_us_ = clock_us_();
}

void StepRecorder::after_replay() {
  cut();
  phase_ = phase_before_replay_;
  const double us = clock_us_() - replay_began_us_;
  replay_us_ += us;
  all_replays_us_ += us;
}

void StepRecorder::before_change() { cut(); }

void StepRecorder::on_hold(tape::ValueId root, std::int64_t bytes) {
  // In forward user code holds it as well, until find_released() tells otherwise.
  if (is_counted(root) && is_in_backward_ && !std::exchange(at(root).is_own, true)) {
    own_bytes_ += bytes;
  }
}

void StepRecorder::on_drop(tape::ValueId root, std::int64_t bytes) {
  if (std::exchange(at(root).is_own, false) && is_counted(root)) {
    own_bytes_ -= bytes;
  }
}

OpTrace StepRecorder::trace_of(tape::OpId id, StorageNumbers& numbers) const {
  const tape::OpRecord& record = pass_.tape().op(id);
  const Op& measured = ops_[static_cast<std::size_t>(id)];
  OpTrace op{.name = record.op.schema().name(),
             .label = measured.label,
             .random = record.generator.defined(),
             .cost_us = measured.cost_us,
             .transient_bytes = measured.transient_bytes,
             .peak_bytes = std::max<std::int64_t>(0, measured.peak_bytes)};
  record.for_each_read(
      [&](const tape::TensorRef& ref) { op.reads.push_back(numbers.access(ref)); });
  for (const tape::MadeResult& made : record.results) {
    if (pass_.tape().values().at(made.value).is_external()) {
      continue;  // memory that was read before an op had written it
    }
    op.writes.push_back({.storage = numbers.of(made.value),
                         .version = 0,
                         .view = whole(pass_.tape().values().at(made.value).bytes)});
  }
  for (const tape::Write& write : record.written) {
    if (pass_.tape().values().at(pass_.tape().values().root(write.after)).is_external()) {
      continue;
    }
    op.writes.push_back(numbers.access(write.after, pass_.tape().values().written(write.after)));
  }
  return op;
}

UseTrace StepRecorder::trace_of(const Use& use, StorageNumbers& numbers) const {
  const auto label = node_labels_.find(use.node);
  UseTrace trace{.name = use.name,
                 .label = label == node_labels_.end() ? "" : label->second,
                 .cost_us = std::max(0.0, use.cost_us),
                 .begin_bytes = use.begin_bytes,
                 .peak_bytes = use.peak_bytes,
                 .after_bytes = use.after_bytes};
  for (const tape::TensorRef& ref : use.needs) {
    trace.needs.push_back(numbers.access(ref));
  }
  return trace;
}

StorageTrace StepRecorder::trace_of(tape::ValueId root) const {
  const tape::ValueRecord& record = pass_.tape().values().at(root);
  StorageTrace trace{.bytes = is_counted(root) ? record.bytes : 0,
                     .external = record.is_external()};
  if (static_cast<std::size_t>(root) < storages_.size()) {
    const Storage& storage = storages_[static_cast<std::size_t>(root)];
    trace.held = storage.is_held_by_user;
    trace.released_at = std::max(0, storage.released_at);
  }
  return trace;
}

RecordedPass StepRecorder::finish() {
  on_backward_end();
  pass_.set_watch(nullptr);
  RecordedPass recorded{.trace = {}, .root_of_storage = {}, .node_of_use = {}, .fault = fault_};
  StorageNumbers numbers(pass_.tape().values());
  StepTrace& trace = recorded.trace;
  trace.device = memory_.device().str();
  trace.step_us = pass_us_ - all_replays_us_;
  trace.forward_us = forward_us_;
  for (tape::OpId id = 0; id < static_cast<tape::OpId>(ops_.size()); ++id) {
    trace.ops.push_back(trace_of(id, numbers));
  }
  for (const Use& use : uses_) {
    trace.uses.push_back(trace_of(use, numbers));
    recorded.node_of_use.push_back(use.node);
  }
  recorded.root_of_storage = numbers.roots();
  for (const tape::ValueId root : recorded.root_of_storage) {
    const int number = static_cast<int>(trace.storages.size());
    numbers.describe(number, trace.storages.emplace_back(trace_of(root)));
  }
  return recorded;
}

}  // namespace reprise::profile
