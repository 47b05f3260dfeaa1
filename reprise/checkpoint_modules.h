// SPDX-License-Identifier: Apache-2.0
// Checkpointing of whole modules without touching their code.
//
// libtorch's modules have no virtual forward, so a module cannot be intercepted from outside. Two
// places can be: the layers of a Sequential (apply_checkpointing), and a module's type where it is
// constructed (Checkpointed<M>). Names in state dicts, to() and train() stay as they were; clone()
// does what it does to the plain module, which is to number the layers of a Sequential.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/pimpl.h>

#include "reprise/checkpoint.h"

namespace reprise {

// Tells whether the layer at an index of a Sequential becomes a region.
using LayerPredicate = std::function<bool(std::int64_t index, const torch::nn::Module& layer)>;

// Makes every layer that `is_region` chooses a region of its own, from the next forward on. The
// layers must take and return one tensor. Returns how many were changed; those that are regions
// already are left as they are. Typed access (`sequential->at<M>(i)`) and `ptr(i)` see what stands
// in a changed layer's place; `children()` has the layer itself.
std::int64_t apply_checkpointing(torch::nn::Sequential& sequential, const LayerPredicate& is_region,
                                 const CheckpointOptions& options = {});

// Makes layers 0, n, 2n, ... regions. Throws std::invalid_argument unless n > 0.
std::int64_t apply_checkpointing(torch::nn::Sequential& sequential, std::int64_t every_n,
                                 const CheckpointOptions& options = {});

// Undoes apply_checkpointing. Returns how many layers were changed.
std::int64_t remove_checkpointing(torch::nn::Sequential& sequential);

// A module of type `Impl` whose forward is a region. It is an Impl: parameters, buffers and
// children keep their names, and it is assignable wherever a shared_ptr<Impl> is.
template <class Impl>
class CheckpointedImpl : public Impl {
 public:
  using Impl::Impl;
  explicit CheckpointedImpl(const Impl& module) : Impl(module) {}

  CheckpointOptions& checkpoint_options() { return options_; }

  template <class... Args>
  decltype(auto) forward(Args&&... args) {
    // The region keeps the module alive until backward.
    auto self = std::static_pointer_cast<CheckpointedImpl>(this->shared_from_this());
    return checkpoint(
        options_,
        [self](auto&&... each) -> decltype(auto) {
          return self->Impl::forward(std::forward<decltype(each)>(each)...);
        },
        std::forward<Args>(args)...);
  }

  std::shared_ptr<torch::nn::Module> clone(
      const std::optional<torch::Device>& device = std::nullopt) const override {
    // The base clones itself as an Impl; copying that shares its fresh tensors and children.
    const auto module = std::dynamic_pointer_cast<Impl>(Impl::clone(device));
    auto copy = std::make_shared<CheckpointedImpl>(*module);
    copy->options_ = options_;
    return copy;
  }

 private:
  CheckpointOptions options_;
};

namespace detail {

template <class Impl>
class CheckpointedHolder : public torch::nn::ModuleHolder<CheckpointedImpl<Impl>> {
 public:
  using torch::nn::ModuleHolder<CheckpointedImpl<Impl>>::ModuleHolder;

  // The base's own does not see a forward that is a template.
  template <class... Args>
  decltype(auto) operator()(Args&&... args) {
    return (*this)->forward(std::forward<Args>(args)...);
  }
};

}  // namespace detail

// Holder of a checkpointed module: `reprise::Checkpointed<torch::nn::Linear> layer(4, 5);` for a
// holder type, or for an Impl type. In a Sequential use apply_checkpointing.
template <class M>
class Checkpointed : public detail::CheckpointedHolder<M> {
 public:
  using detail::CheckpointedHolder<M>::CheckpointedHolder;
};
template <class M>
requires requires { typename M::ContainedType; }
class Checkpointed<M> : public detail::CheckpointedHolder<typename M::ContainedType> {
 public:
  using detail::CheckpointedHolder<typename M::ContainedType>::CheckpointedHolder;
};

}  // namespace reprise
