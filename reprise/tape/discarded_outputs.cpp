// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/discarded_outputs.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "reprise/tape/frame.h"
#include "reprise/tape/prepare_hook.h"
#include "reprise/tape/recorded_region.h"
#include "reprise/tape/region_values.h"
#include "reprise/tape/seen_version.h"

namespace reprise::tape {
namespace {

struct Discarded {
  c10::weak_intrusive_ptr<c10::StorageImpl> storage;  // its address is nobody else's meanwhile
  std::weak_ptr<RecordedRegion> region;
};

// For as long as the tensors live; entries go when the next tensor is saved.
thread_local std::vector<Discarded> discarded;

std::shared_ptr<RecordedRegion> region_that_discards(const at::Tensor& tensor) {
  if (!has_dense_storage(tensor)) {
    return nullptr;
  }
  const auto position =
      std::find_if(discarded.begin(), discarded.end(), [&](const Discarded& each) {
        return each.storage._unsafe_get_target() == tensor.storage().unsafeGetStorageImpl();
      });
  const auto region = position == discarded.end() ? nullptr : position->region.lock();
  return region && region->can_rebuild(tensor) ? region : nullptr;
}

// One value that autograd saves: a discarded result its region brings back, any other goes to the
// other hooks or, without any, is kept as autograd does.
class OneValue final : public RegionValues {
 public:
  explicit OneValue(std::unique_ptr<torch::autograd::SavedVariableHooks> others)
      : others_(std::move(others)) {}

  std::int64_t add_value(const at::Tensor& tensor) override {
    region_ = region_that_discards(tensor);
    if (region_) {
      index_ = region_->add_value(tensor);
    } else if (others_) {
      others_->call_pack_hook(tensor);
    } else {
      kept_ = tensor.variable_data();
      version_ = SeenVersion(tensor);
    }
    return 0;
  }
  void prepare() override {}
  at::Tensor value(std::int64_t /*index*/) override {
    if (region_) {
      return region_->value(index_);
    }
    if (others_) {
      return others_->call_unpack_hook();
    }
    version_.require_unchanged([] { return "a saved tensor"; });
    return kept_;
  }
  void drop_value(std::int64_t /*index*/) override {}
  void release(std::int64_t /*index*/) override {
    if (region_) {
      region_->release(index_);
    }
    region_.reset();
    others_.reset();
    kept_.reset();
  }

 private:
  std::shared_ptr<RecordedRegion> region_;  // owned with its own nodes
  std::int64_t index_ = 0;
  std::unique_ptr<torch::autograd::SavedVariableHooks> others_;
  at::Tensor kept_;
  SeenVersion version_;
};

}  // namespace

at::Tensor discard_output(const at::Tensor& x) {
  if (!x.requires_grad() || top_frame() != nullptr) {
    return x;
  }
  if (x.is_leaf()) {
    throw std::invalid_argument(
        "discard_output: expected a result of a region, got a leaf of shape " +
        c10::str(x.sizes()));
  }
  for (const std::shared_ptr<RegionValues>& prepared : prepared_before_maker(x)) {
    const auto region = std::dynamic_pointer_cast<RecordedRegion>(prepared);
    if (region && region->can_rebuild(x)) {
      discarded.push_back({x.storage().getWeakStorageImpl(), region});
      return x;
    }
  }
  return x;
}

std::unique_ptr<torch::autograd::SavedVariableHooks> hooks_for_discarded(
    std::unique_ptr<torch::autograd::SavedVariableHooks> others) {
  std::erase_if(discarded, [](const Discarded& each) { return each.storage.expired(); });
  return discarded.empty()
             ? std::move(others)
             : make_value_handle(std::make_shared<OneValue>(std::move(others)), nullptr);
}

}  // namespace reprise::tape
