// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/tensor_view.h"

#include <functional>
#include <utility>

#include <ATen/core/TensorBody.h>
#include <c10/core/TensorImpl.h>

#include "reprise/tape/mix.h"

namespace reprise::tape {
namespace {

std::uint64_t digest_of(const c10::TensorImpl& impl) {
  const c10::IntArrayRef sizes = impl.sizes();
  const c10::IntArrayRef strides = impl.strides();
  std::uint64_t hash =
      mix(impl.key_set().raw_repr(), std::hash<caffe2::TypeIdentifier>{}(impl.dtype().id()));
  hash = mix_signed(hash, 2 * impl.storage_offset() + (impl.is_wrapped_number() ? 1 : 0));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    hash = mix_signed(mix_signed(hash, sizes[i]), strides[i]);
  }
  return hash;
}

}  // namespace

TensorView TensorView::of(const at::Tensor& tensor) {
  const c10::TensorImpl& impl = *tensor.unsafeGetTensorImpl();
  TensorView view;
  view.sizes.append(impl.sizes().begin(), impl.sizes().end());
  view.strides.append(impl.strides().begin(), impl.strides().end());
  view.offset = impl.storage_offset();
  view.dtype = impl.dtype();
  view.keys = impl.key_set();
  view.is_dense = impl.is_non_overlapping_and_dense();
  view.is_wrapped_number = impl.is_wrapped_number();
  view.digest = digest_of(impl);
  return view;
}

bool TensorView::is_of(const at::Tensor& tensor) const {
  const c10::TensorImpl& impl = *tensor.unsafeGetTensorImpl();
  return impl.storage_offset() == offset && impl.key_set() == keys && impl.dtype() == dtype &&
         impl.sizes() == c10::IntArrayRef(sizes) && impl.strides() == c10::IntArrayRef(strides) &&
         impl.is_wrapped_number() == is_wrapped_number;
}

at::Tensor TensorView::over(c10::Storage storage) const {
  at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(c10::TensorImpl::VIEW,
                                                               std::move(storage), keys, dtype);
  c10::TensorImpl& impl = *tensor.unsafeGetTensorImpl();
  impl.set_sizes_and_strides(sizes, strides, offset);
  if (is_wrapped_number) {
    impl.set_wrapped_number(true);
  }
  return tensor;
}

ByteView TensorView::bytes() const {
  const auto item_bytes = static_cast<std::int64_t>(dtype.itemsize());
  ByteView view{.offset = offset * item_bytes,
                .item_bytes = item_bytes,
                .sizes = {sizes.begin(), sizes.end()},
                .strides = {strides.begin(), strides.end()}};
  for (std::int64_t& stride : view.strides) {
    stride *= item_bytes;
  }
  return view;
}

bool TensorView::covers(const c10::StorageImpl& storage) const {
  std::int64_t elements = 1;
  for (const std::int64_t size : sizes) {
    elements *= size;
  }
  return is_dense && offset == 0 &&
         elements * static_cast<std::int64_t>(dtype.itemsize()) ==
             static_cast<std::int64_t>(storage.nbytes());
}

std::shared_ptr<const TensorView> ViewPool::of(const at::Tensor& tensor) {
  static const auto& empty = *new std::shared_ptr<const TensorView>(new TensorView());
  if (!has_dense_storage(tensor)) {
    return empty;
  }
  std::shared_ptr<const TensorView>& known = views_[digest_of(*tensor.unsafeGetTensorImpl())];
  if (known && known->is_of(tensor)) {
    return known;
  }
  auto view = std::make_shared<const TensorView>(TensorView::of(tensor));
  if (!known) {
    known = view;
  }
  return view;
}

bool has_dense_storage(const at::Tensor& tensor) {
  const c10::TensorImpl& impl = *tensor.unsafeGetTensorImpl();
  static constexpr c10::DispatchKeySet other_kinds(
      {c10::DispatchKey::Python, c10::DispatchKey::FuncTorchBatched,
       c10::DispatchKey::FuncTorchGradWrapper, c10::DispatchKey::Functionalize,
       c10::DispatchKey::Batched, c10::DispatchKey::ZeroTensor});
  return impl.has_storage() && !tensor.is_nested() && impl.layout() == c10::kStrided &&
         !impl.key_set().has_any(other_kinds) && !tensor.is_quantized() &&
         !impl.has_symbolic_sizes_strides();
}

}  // namespace reprise::tape
