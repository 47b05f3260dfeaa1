// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/discarded_outputs.h"

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "reprise/tape/frame.h"
#include "reprise/tape/node_uses.h"
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

thread_local std::vector<Discarded> discarded;

std::shared_ptr<RecordedRegion> region_that_discards(const at::Tensor& tensor) {
  if (!has_dense_storage(tensor)) {
    return nullptr;
  }
  const auto position =
      std::find_if(discarded.begin(), discarded.end(), [&](const Discarded& each) {
        return each.storage._unsafe_get_target() == tensor.storage().unsafeGetStorageImpl();
      });
  return position == discarded.end() ? nullptr : position->region.lock();
}

// One value that autograd saves: of a discarded result its region brings it back, any other is
// kept, as autograd does without hooks.
class OneValue final : public RegionValues, public std::enable_shared_from_this<OneValue> {
 public:
  std::int64_t add_value(const at::Tensor& tensor) override {
    region_ = region_that_discards(tensor);
    if (region_) {
      index_ = region_->add_value(tensor);
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
    version_.require_unchanged([] { return "a saved tensor"; });
    return kept_;
  }
  void drop_value(std::int64_t /*index*/) override {}
  void release(std::int64_t /*index*/) override {
    if (region_) {
      region_->release(index_);
    }
    region_.reset();
    kept_.reset();
  }

 private:
  std::shared_ptr<RecordedRegion> region_;  // owned with its own nodes
  std::int64_t index_ = 0;
  at::Tensor kept_;
  SeenVersion version_;
};

}  // namespace

at::Tensor discard_output(const at::Tensor& x) {
  if (!x.requires_grad() || top_frame() != nullptr) {
    return x;
  }
  for (const std::shared_ptr<RegionValues>& prepared : prepared_before_maker(x)) {
    const auto region = std::dynamic_pointer_cast<RecordedRegion>(prepared);
    if (region && region->can_rebuild(x)) {
      discarded.push_back({x.storage().getWeakStorageImpl(), region});
      return x;
    }
  }
  throw std::invalid_argument(
      "discard_output: expected a result of a region that replays, made by an op of it; got a "
      "tensor of shape " +
      c10::str(x.sizes()) + " that is none");
}

std::unique_ptr<torch::autograd::SavedVariableHooks> hooks_for_discarded() {
  std::erase_if(discarded, [](const Discarded& each) { return each.storage.expired(); });
  return discarded.empty() ? nullptr : make_value_handle(std::make_shared<OneValue>(), nullptr);
}

}  // namespace reprise::tape
