// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/region_slots.h"

#include <functional>
#include <sstream>
#include <string_view>

#include <ATen/SequenceNumber.h>
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

std::int64_t SavingNodes::current() {
  // The node under construction is the newest one of the thread.
  const std::uint64_t next = at::sequence_number::peek();
  if (node_ < 0 || next != sequence_number_) {
    sequence_number_ = next;
    ++node_;
  }
  return node_;
}

std::optional<std::size_t> hash_of_bytes(const at::Tensor& tensor) {
  if (tensor.layout() != c10::kStrided || tensor.is_nested() || tensor.is_meta()) {
    return std::nullopt;
  }
  const UnseenOps unseen;
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const at::Tensor bytes = tensor.resolve_conj().resolve_neg().to(at::kCPU).contiguous();
  return std::hash<std::string_view>()(
      {static_cast<const char*>(bytes.const_data_ptr()), bytes.nbytes()});
}

bool is_unchanged(const Slot& slot) {
  return slot.value.is_inference() ||
         slot.value.unsafeGetTensorImpl()->version_counter().current_version() ==
             slot.value_version;
}

const at::Tensor& checked_value(const Slot& slot, const std::string& region) {
  // Hooks switch autograd's own check off.
  TORCH_CHECK(is_unchanged(slot),
              "one of the variables needed for gradient computation has been modified by an "
              "inplace operation: ",
              slot.metadata.text(), " of the checkpointed region '", region, "' is at version ",
              slot.value._version(), "; expected version ", slot.value_version, " instead.");
  return slot.value;
}

}  // namespace reprise::tape
