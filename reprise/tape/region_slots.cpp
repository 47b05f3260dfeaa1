// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/region_slots.h"

#include <functional>
#include <sstream>
#include <string_view>

#include <ATen/core/LegacyTypeDispatch.h>

#include "reprise/tape/frame.h"

namespace reprise::tape {

ValueMetadata ValueMetadata::of(const at::Tensor& tensor) {
  ValueMetadata metadata;
  metadata.has_sizes = !tensor.is_nested();
  if (metadata.has_sizes) {
    metadata.sizes.append(tensor.sizes().begin(), tensor.sizes().end());
  }
  metadata.dtype = tensor.scalar_type();
  metadata.device = tensor.device();
  return metadata;
}

std::string ValueMetadata::text() const {
  std::ostringstream out;
  if (has_sizes) {
    out << c10::IntArrayRef(sizes) << " ";
  }
  out << dtype << " " << device;
  return out.str();
}

std::optional<std::size_t> hash_of_bytes(const at::Tensor& tensor) {
  if (tensor.layout() != c10::kStrided || tensor.is_nested() || tensor.is_meta() ||
      tensor._is_zerotensor()) {
    return std::nullopt;
  }
  const UnseenOps unseen;
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const at::Tensor bytes = tensor.resolve_conj().resolve_neg().to(at::kCPU).contiguous();
  return std::hash<std::string_view>()(
      {static_cast<const char*>(bytes.const_data_ptr()), bytes.nbytes()});
}

const at::Tensor& checked_value(const Slot& slot, const std::string& region) {
  slot.value_version.require_unchanged(
      [&] { return slot.metadata.text() + " of the checkpointed region '" + region + "'"; });
  return slot.value;
}

}  // namespace reprise::tape
