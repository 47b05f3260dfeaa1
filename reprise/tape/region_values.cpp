// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/region_values.h"

#include <utility>

#include "reprise/tape/live_count.h"

namespace reprise::tape {
namespace {

constexpr std::int64_t kNotSaved = -1;

class ValueHandle final : public torch::autograd::SavedVariableHooks {
 public:
  ValueHandle(std::shared_ptr<RegionValues> region, SaveListener* listener)
      : region_(std::move(region)), listener_(listener) {
    count_live(1);
  }
  ~ValueHandle() override {
    if (index_ != kNotSaved) {
      region_->release(index_);
    }
    count_live(-1);
  }
  ValueHandle(const ValueHandle&) = delete;
  ValueHandle& operator=(const ValueHandle&) = delete;

  void call_pack_hook(const at::Tensor& tensor) override {
    index_ = region_->add_value(tensor);
    if (SaveListener* const listener = std::exchange(listener_, nullptr)) {
      listener->on_save(index_, tensor);
    }
  }
  at::Tensor call_unpack_hook() override { return region_->value(index_); }

 private:
  std::shared_ptr<RegionValues> region_;  // owned with every other node of the region
  std::int64_t index_ = kNotSaved;
  SaveListener* listener_;
};

}  // namespace

std::unique_ptr<torch::autograd::SavedVariableHooks> make_value_handle(
    std::shared_ptr<RegionValues> region, SaveListener* listener) {
  return std::make_unique<ValueHandle>(std::move(region), listener);
}

}  // namespace reprise::tape
