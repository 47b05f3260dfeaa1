// SPDX-License-Identifier: Apache-2.0
// ParameterNames: which part of a model a tensor belongs to.
#pragma once

#include <string>
#include <unordered_map>

#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>

namespace reprise::profile {

// Tensors go by their storage; the names keep none of them alive.
class ParameterNames {
 public:
  // `path`: "encoder.layer3.weight" of a parameter or buffer. It belongs to "encoder.layer3".
  void add(const std::string& path, const at::Tensor& tensor);
  // "" if nothing is known.
  std::string part_of(const c10::StorageImpl* storage) const;

 private:
  struct Named {
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;  // so that no other takes its address
    std::string part;
  };
  std::unordered_map<const c10::StorageImpl*, Named> named_;
};

}  // namespace reprise::profile
