// SPDX-License-Identifier: Apache-2.0
// RegionValues: what the graph asks of a region, by whatever mechanism that brings its values back.
#pragma once

#include <cstdint>
#include <memory>

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

namespace reprise::tape {

// Values are known by the order in which they were saved. Thread-safe.
class RegionValues {
 public:
  virtual ~RegionValues() = default;

  // Autograd saves a tensor. Returns the index of the value.
  virtual std::int64_t add_value(const at::Tensor& tensor) = 0;
  // A backward is about to run nodes that unpack values.
  virtual void prepare() = 0;
  // A node unpacks value `index`; brings it back if need be.
  virtual at::Tensor value(std::int64_t index) = 0;
  // The node that has unpacked it is over.
  virtual void drop_value(std::int64_t index) = 0;
  // No node will ask for it any more.
  virtual void release(std::int64_t index) = 0;
};

// Is told when a value has been added, while the tensor is at hand.
class SaveListener {
 public:
  virtual ~SaveListener() = default;
  virtual void on_save(std::int64_t index, const at::Tensor& tensor) = 0;
};

// What the graph holds in place of a tensor that a region saves. `listener` may be null; it must
// outlive the saving.
std::unique_ptr<torch::autograd::SavedVariableHooks> make_value_handle(
    std::shared_ptr<RegionValues> region, SaveListener* listener);

}  // namespace reprise::tape
