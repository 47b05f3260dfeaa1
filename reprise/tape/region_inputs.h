// SPDX-License-Identifier: Apache-2.0
// The tensors passed to a region, kept for its rerun.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

#include "reprise/tape/outside_tensors.h"

namespace reprise::tape {

// Inside an outer region the tensors are saved through that region's hooks: they are internals of
// its own and come back when it reruns. Elsewhere an alias without history is held: holding the
// tensor itself would tie the graph into a knot if the region changes it in place.
class RegionInputs {
 public:
  explicit RegionInputs(const std::vector<at::Tensor>& tensors);

  // After the first run: tensors that the region wrote are rebuilt from what they held before.
  void note_writes(const OutsideTensors& outside);

  // Fresh aliases of the tensors, with the leaf and requires-grad flags of the originals, so that
  // the rerun builds the same graph; its gradients go nowhere.
  std::vector<at::Tensor> materialise(const OutsideTensors& outside) const;

 private:
  struct Input {
    at::Tensor alias;                                             // at top level, or
    std::unique_ptr<torch::autograd::SavedVariableHooks> packed;  // inside an outer region
    bool is_defined = false;
    bool requires_grad = false;
    bool is_leaf = false;
    // Where the tensor lay in its storage, if the region wrote that.
    const c10::StorageImpl* storage = nullptr;
    at::TensorOptions options;
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> strides;
    std::int64_t offset = 0;
    bool is_written = false;
  };
  // Storages that inputs are rebuilt in, by the one they had: aliases stay aliases.
  using Rebuilt = std::map<const c10::StorageImpl*, std::pair<c10::Storage, c10::VariableVersion>>;
  static at::Tensor rebuilt(const Input& input, const OutsideTensors& outside, Rebuilt& copies);

  std::vector<Input> inputs_;
};

}  // namespace reprise::tape
