// SPDX-License-Identifier: Apache-2.0
// TensorView: all that a tensor is besides its bytes, so that it can be made again over other
// storage.
#pragma once

#include <cstdint>
#include <memory>

#include <ATen/core/Tensor.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/core/Storage.h>
#include <c10/util/SmallVector.h>
#include <c10/util/flat_hash_map.h>
#include <c10/util/typeid.h>

#include "reprise/tape/byte_view.h"

namespace reprise::tape {

struct TensorView {
  c10::SmallVector<std::int64_t, 4> sizes;
  c10::SmallVector<std::int64_t, 4> strides;
  std::int64_t offset = 0;  // in elements
  caffe2::TypeMeta dtype;
  c10::DispatchKeySet keys;  // says also whether a complex tensor is conjugated or negated lazily
  bool is_dense = false;     // its elements lie side by side, in some order
  bool is_wrapped_number = false;  // a Python or C++ number: it promotes other dtypes less
  std::uint64_t digest = 0;        // of all of the above

  // REQUIRES: has_dense_storage(tensor).
  static TensorView of(const at::Tensor& tensor);

  // Whether it is the tensor's. REQUIRES: has_dense_storage(tensor).
  bool is_of(const at::Tensor& tensor) const;

  // The view over `storage`, without history and with a version of its own.
  at::Tensor over(c10::Storage storage) const;

  ByteView bytes() const;
  bool covers(const c10::StorageImpl& storage) const;  // every byte of it is an element's, once
};

// Views of a tape, one of each: most of its tensors look like some other. So what compares one
// tensor after another reads the same few bytes.
class ViewPool {
 public:
  // The tensor's, or the empty view if it has no dense storage. Never null.
  std::shared_ptr<const TensorView> of(const at::Tensor& tensor);

 private:
  // Owned with what refers to them; by digest.
  ska::flat_hash_map<std::uint64_t, std::shared_ptr<const TensorView>> views_;
};

// Whether the tensor is sizes and strides over bytes. Others (sparse, nested, quantized, oneDNN's,
// wrappers) can only be held as they are.
bool has_dense_storage(const at::Tensor& tensor);

}  // namespace reprise::tape
