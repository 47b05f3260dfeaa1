// SPDX-License-Identifier: Apache-2.0
#include "reprise/checkpoint_modules.h"

#include <stdexcept>
#include <string>

#include <torch/nn/modules/container/any.h>

namespace reprise {
namespace {

// Takes a layer's place in a Sequential's chain of calls. It shows the layer's parameters, buffers
// and children as its own, so that a clone of the Sequential, which registers it as a child, has
// the same names.
class CheckpointedLayer final : public torch::nn::Module {
 public:
  CheckpointedLayer(torch::nn::AnyModule layer, CheckpointOptions options)
      : torch::nn::Module(layer.ptr()->name()),
        layer_(std::move(layer)),
        options_(std::move(options)) {
    for (const auto& parameter : layer_.ptr()->named_parameters(/*recurse=*/false)) {
      register_parameter(parameter.key(), parameter.value(), parameter.value().requires_grad());
    }
    for (const auto& buffer : layer_.ptr()->named_buffers(/*recurse=*/false)) {
      register_buffer(buffer.key(), buffer.value());
    }
    for (const auto& child : layer_.ptr()->named_children()) {
      register_module(child.key(), child.value());
    }
  }

  at::Tensor forward(at::Tensor input) {
    return checkpoint(
        options_,
        [layer = layer_](const at::Tensor& value) mutable { return layer.forward(value); }, input);
  }

  std::shared_ptr<torch::nn::Module> clone(
      const std::optional<torch::Device>& device) const override {
    return std::make_shared<CheckpointedLayer>(layer_.clone(device), options_);
  }

  // The layer's own flag is the one that counts: the Sequential it came from reaches only that.
  void train(bool on) override { layer_.ptr()->train(on); }
  bool is_training() const noexcept override { return layer_.ptr()->is_training(); }

  void pretty_print(std::ostream& stream) const override { layer_.ptr()->pretty_print(stream); }

  const torch::nn::AnyModule& layer() const { return layer_; }

 private:
  torch::nn::AnyModule layer_;
  CheckpointOptions options_;
};

}  // namespace

std::int64_t apply_checkpointing(torch::nn::Sequential& sequential, const LayerPredicate& is_region,
                                 const CheckpointOptions& options) {
  std::int64_t changed = 0;
  std::int64_t index = 0;
  const auto names = sequential->named_children();
  for (torch::nn::AnyModule& layer : *sequential) {
    const std::int64_t i = index++;
    if (std::dynamic_pointer_cast<CheckpointedLayer>(layer.ptr()) || !is_region(i, *layer.ptr())) {
      continue;
    }
    CheckpointOptions named = options;
    named.name += (named.name.empty() ? "" : " ") + names[static_cast<std::size_t>(i)].key();
    layer = std::make_shared<CheckpointedLayer>(layer, std::move(named));
    ++changed;
  }
  return changed;
}

std::int64_t apply_checkpointing(torch::nn::Sequential& sequential, std::int64_t every_n,
                                 const CheckpointOptions& options) {
  if (every_n <= 0) {
    throw std::invalid_argument("apply_checkpointing: every_n must be positive, got " +
                                std::to_string(every_n));
  }
  return apply_checkpointing(
      sequential,
      [every_n](std::int64_t index, const torch::nn::Module& /*layer*/) {
        return index % every_n == 0;
      },
      options);
}

std::int64_t remove_checkpointing(torch::nn::Sequential& sequential) {
  std::int64_t changed = 0;
  for (torch::nn::AnyModule& layer : *sequential) {
    if (const auto region = std::dynamic_pointer_cast<CheckpointedLayer>(layer.ptr())) {
      layer = region->layer();
      ++changed;
    }
  }
  return changed;
}

}  // namespace reprise
