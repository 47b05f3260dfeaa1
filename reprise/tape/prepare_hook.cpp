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

}  // namespace reprise::tape
