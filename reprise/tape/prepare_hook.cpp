// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/prepare_hook.h"

#include <unordered_set>
#include <utility>

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/node.h>

namespace reprise::tape {
namespace {

class PrepareHook final : public torch::autograd::FunctionPreHook {
 public:
  explicit PrepareHook(std::shared_ptr<RegionValues> region) : region_(std::move(region)) {}

  torch::autograd::variable_list operator()(const torch::autograd::variable_list& grads) override {
    region_->prepare();
    return grads;
  }
  const std::shared_ptr<RegionValues>& region() const { return region_; }

 private:
  std::shared_ptr<RegionValues> region_;  // owned with the region's handles
};

}  // namespace

void prepare_before_makers(c10::ArrayRef<at::Tensor> results, std::uint64_t first_node,
                           const std::shared_ptr<RegionValues>& region) {
  std::unordered_set<torch::autograd::Node*> hooked;
  for (const at::Tensor& result : results) {
    if (!result.defined()) {
      continue;
    }
    const auto node = result.grad_fn();
    if (node && node->sequence_nr() >= first_node && hooked.insert(node.get()).second) {
      node->add_pre_hook(std::make_unique<PrepareHook>(region));
    }
  }
}

std::vector<std::shared_ptr<RegionValues>> prepared_before_maker(const at::Tensor& result) {
  std::vector<std::shared_ptr<RegionValues>> regions;
  if (const auto node = result.grad_fn()) {
    for (const auto& hook : node->pre_hooks()) {
      if (const auto* const prepare = dynamic_cast<const PrepareHook*>(hook.get())) {
        regions.push_back(prepare->region());
      }
    }
  }
  return regions;
}

}  // namespace reprise::tape
