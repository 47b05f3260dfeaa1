// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/region_inputs.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/variable.h>

#include "reprise/tape/boundary_node.h"
#include "reprise/tape/frame.h"

namespace reprise::tape {
namespace {

c10::Storage private_copy(const at::Tensor& bytes) {
  const UnseenOps unseen;
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  return bytes.clone().storage();
}

}  // namespace

RegionInputs::RegionInputs(const std::vector<at::Tensor>& tensors) {
  inputs_.reserve(tensors.size());
  for (const at::Tensor& tensor : tensors) {
    Input& input = inputs_.emplace_back();
    if (!tensor.defined()) {
      continue;
    }
    input.is_defined = true;
    input.requires_grad = tensor.requires_grad();
    input.is_leaf = tensor.is_leaf();
    if (tensor.has_storage() && tensor.layout() == c10::kStrided && !tensor.is_nested()) {
      input.storage = tensor.storage().unsafeGetStorageImpl();
      input.options = tensor.options();
      input.sizes = tensor.sizes().vec();
      input.strides = tensor.strides().vec();
      input.offset = tensor.storage_offset();
    }
    input.packed = hooks_of_top_frame();
    if (input.packed) {
      const c10::NoGradGuard no_grad;
      input.packed->call_pack_hook(tensor);
    } else {
      input.alias = tensor.tensor_data();
    }
  }
}

void RegionInputs::note_writes(const OutsideTensors& outside) {
  for (Input& input : inputs_) {
    if (input.storage != nullptr && outside.written(input.storage) != nullptr) {
      input.is_written = true;
      input.packed.reset();  // what it would bring back was changed since
    }
  }
}

at::Tensor RegionInputs::rebuilt(const Input& input, const OutsideTensors& outside,
                                 Rebuilt& copies) {
  // The content before the first write: in the tensor's own storage while that lives (whoever
  // captured it sees the same bytes, and a write since then shows in its version), else in a copy.
  const OutsideTensor* entry = outside.written(input.storage);
  auto [position, is_new] = copies.try_emplace(input.storage);
  auto& [storage, version] = position->second;
  if (is_new) {
    auto impl = entry->storage.lock();
    version = impl ? entry->version.counter() : c10::VariableVersion(0);
    storage = impl ? c10::Storage(std::move(impl)) : private_copy(entry->before);
  }
  const UnseenOps unseen;
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  at::Tensor tensor =
      at::empty({0}, input.options).set_(storage, input.offset, input.sizes, input.strides);
  if (version.enabled()) {
    tensor.unsafeGetTensorImpl()->set_version_counter(version);
  }
  return tensor;
}

std::vector<at::Tensor> RegionInputs::materialise(const OutsideTensors& outside) const {
  Rebuilt copies;
  c10::intrusive_ptr<torch::autograd::Node> boundary;
  std::vector<at::Tensor> tensors;
  tensors.reserve(inputs_.size());
  for (const Input& input : inputs_) {
    if (!input.is_defined) {
      tensors.emplace_back();
      continue;
    }
    at::Tensor tensor;
    if (input.alias.defined()) {
      tensor = input.alias.tensor_data();
    } else if (!input.is_written) {
      tensor = input.packed->call_unpack_hook().tensor_data();
    } else {
      tensor = rebuilt(input, outside, copies);
    }
    if (input.requires_grad && input.is_leaf) {
      tensor.set_requires_grad(true);
    } else if (input.requires_grad) {
      if (!boundary) {
        boundary = make_boundary();
      }
      torch::autograd::impl::set_gradient_edge(tensor,
                                               {boundary, boundary->add_input_metadata(tensor)});
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace reprise::tape
