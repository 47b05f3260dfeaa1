// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/recorded_run.h"

#include <optional>

#include <ATen/SequenceNumber.h>

#include "reprise/tape/prepare_hook.h"
#include "reprise/tape/tape_frame.h"

namespace reprise::tape {

struct RecordedRun::State {
  explicit State(const RegionOptions& options)
      : context(options.forward_context ? options.forward_context() : nullptr),
        first_node(at::sequence_number::peek()) {
    frame = dynamic_cast<TapeFrame*>(top_frame());
    if (frame == nullptr) {
      frame = &own_frame.emplace(std::make_shared<Tape>());
      scope.emplace(*frame);
    }
    region = frame->enter_region(options);
  }
  ~State() {
    region->close();
    frame->leave_region();
    scope.reset();
    if (own_frame) {
      const std::lock_guard lock(own_frame->tape()->mutex());
      own_frame->tape()->end();
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::shared_ptr<void> context;
  std::uint64_t first_node;
  TapeFrame* frame = nullptr;
  std::optional<TapeFrame> own_frame;  // of an outermost region
  std::optional<FrameScope> scope;
  std::shared_ptr<RecordedRegion> region;  // owned with the graph from here on
};

RecordedRun::RecordedRun(const RegionOptions& options) : state_(std::make_unique<State>(options)) {}

RecordedRun::~RecordedRun() = default;

std::vector<KeptValue> RecordedRun::kept_values() const { return state_->region->kept_values(); }

void RecordedRun::finish(c10::ArrayRef<at::Tensor> results) {
  const std::shared_ptr<RecordedRegion> region = state_->region;
  const std::uint64_t first_node = state_->first_node;
  state_.reset();
  if (region->is_needed()) {
    prepare_before_makers(results, first_node, region);
  }
}

}  // namespace reprise::tape
