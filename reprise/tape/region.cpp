// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/region.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include <ATen/SequenceNumber.h>

#include "reprise/tape/frame.h"
#include "reprise/tape/prepare_hook.h"
#include "reprise/tape/region_core.h"

namespace reprise::tape {
namespace {

class FirstRunFrame final : public Frame, public SaveListener {
 public:
  explicit FirstRunFrame(std::shared_ptr<Region> region) : region_(std::move(region)) {}

  std::unique_ptr<torch::autograd::SavedVariableHooks> make_hooks() override {
    return make_value_handle(region_, this);
  }

  void before_op(const c10::OperatorHandle& op, c10::DispatchKeySet /*keys*/,
                 OpArguments arguments) override {
    hash_saved_results();
    find_late_fills(op, arguments);
    region_->watch().before_op(op, arguments);
  }

  void after_op(const c10::OperatorHandle& op, OpArguments results) override {
    region_->watch().after_op(results);
    end_op();
    if (hashes_values()) {
      find_unwritten(op, results);
    }
  }

  bool is_rerun() const override { return false; }

  void on_save(std::int64_t index, const at::Tensor& tensor) override {
    const bool is_result = region_->describe_slot(index, tensor);
    if (!is_result && tensor.has_storage()) {
      saved_since_op_.emplace_back(index, tensor.storage().unsafeGetStorageImpl());
    }
    if (hashes_values() &&
        (!tensor.has_storage() || tensor.storage().unsafeGetStorageImpl() != unwritten_)) {
      unhashed_.push_back({index, is_result, tensor.tensor_data()});
    }
    if (region_->options().stats && tensor.has_storage() &&
        region_->watch().outside.is_inside(tensor) &&
        is_wanted_.insert(tensor.storage().unsafeGetStorageImpl()).second) {
      wanted_.push_back(tensor.storage().getWeakStorageImpl());
      wanted_bytes_.push_back(static_cast<std::int64_t>(tensor.storage().nbytes()));
    }
  }

  // Hashes what the last op saved. Not at the save itself: the op may fill it only afterwards.
  void end_op() {
    for (const Unhashed& each : std::exchange(unhashed_, {})) {
      region_->slot(each.index).hash = hash_of_bytes(each.tensor);
    }
    saved_since_op_.clear();
  }

  // Storages made inside that autograd wanted to keep; with RegionOptions::stats only.
  const std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>>& wanted() const { return wanted_; }
  std::int64_t wanted_bytes(std::size_t index) const { return wanted_bytes_[index]; }

 private:
  bool hashes_values() const {
    return region_->options().determinism_check == DeterminismCheck::kValues;
  }

  // Results are complete when they are saved, and the op that comes may change them in place.
  void hash_saved_results() {
    std::erase_if(unhashed_, [&](const Unhashed& each) {
      if (each.is_result) {
        region_->slot(each.index).hash = hash_of_bytes(each.tensor);
      }
      return each.is_result;
    });
  }

  // Bytes that nobody wrote differ from run to run.
  void find_unwritten(const c10::OperatorHandle& op, OpArguments results) {
    unwritten_ = nullptr;
    if (const auto index = partly_unwritten_result(op)) {
      for_each_tensor(results[*index], [&](const at::Tensor& tensor) {
        unwritten_ = tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
      });
    }
  }

  // An op that is about to write what was saved for it fills that after the save.
  void find_late_fills(const c10::OperatorHandle& op, OpArguments arguments) {
    for (std::size_t i = 0; i < arguments.size() && !saved_since_op_.empty(); ++i) {
      for_each_tensor(arguments[i], [&](const at::Tensor& tensor) {
        if (!tensor.has_storage()) {
          return;
        }
        for (const auto& [index, storage] : saved_since_op_) {
          if (storage == tensor.storage().unsafeGetStorageImpl() &&
              writes_argument(op, arguments, i)) {
            region_->slot(index).is_filled_late = true;
          }
        }
      });
    }
  }

  std::shared_ptr<Region> region_;
  std::vector<std::pair<std::int64_t, const c10::StorageImpl*>> saved_since_op_;
  struct Unhashed {
    std::int64_t index;
    bool is_result;
    at::Tensor tensor;
  };
  std::vector<Unhashed> unhashed_;
  const c10::StorageImpl* unwritten_ = nullptr;  // a result of the last op, only compared
  std::unordered_set<const c10::StorageImpl*> is_wanted_;
  std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> wanted_;
  std::vector<std::int64_t> wanted_bytes_;
};

}  // namespace

struct RegionRun::State {
  State(const RegionOptions& options, const std::vector<at::Tensor>& inputs, Rerun rerun)
      : region(std::make_shared<Region>(options, inputs, std::move(rerun))),
        frame(region),
        context(options.forward_context ? options.forward_context() : nullptr),
        first_node(at::sequence_number::peek()) {
    scope.emplace(frame);
    if (options.debug) {
      recorded.emplace(region->recorded_ops());
    }
  }

  void count(const RegionOptions& options) const {
    RegionCounts counts{.regions = 1, .values = region->needed()};
    for (std::size_t i = 0; i < frame.wanted().size(); ++i) {
      counts.dropped_bytes += frame.wanted()[i].expired() ? frame.wanted_bytes(i) : 0;
    }
    options.stats->add(options.name, counts);
  }

  std::shared_ptr<Region> region;  // owned with the graph from here on
  FirstRunFrame frame;
  std::shared_ptr<void> context;
  std::uint64_t first_node;
  std::optional<FrameScope> scope;
  std::optional<RecordedOps> recorded;
};

RegionRun::RegionRun(const RegionOptions& options, const std::vector<at::Tensor>& inputs,
                     Rerun rerun)
    : state_(std::make_unique<State>(options, inputs, std::move(rerun))) {}

RegionRun::~RegionRun() = default;

void RegionRun::finish(c10::ArrayRef<at::Tensor> results) {
  state_->recorded.reset();
  state_->scope.reset();
  state_->context.reset();
  state_->frame.end_op();
  const bool is_needed = state_->region->close();
  const RegionOptions& options = state_->region->options();
  if (!is_needed) {
    return;
  }
  if (options.stats) {
    state_->count(options);
  }
  prepare_before_makers(results, state_->first_node, state_->region);
}

}  // namespace reprise::tape
