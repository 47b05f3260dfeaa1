// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/outside_tensors.h"

#include <algorithm>
#include <stdexcept>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>

#include "reprise/tape/frame.h"

namespace reprise::tape {
namespace {

// Handles of one storage whose requires_grad is remembered: user code holds one or two.
constexpr std::size_t kMostHandles = 4;

// Below autograd and the version counters: such copies are invisible to everybody.
struct Invisible {
  UnseenOps unseen;
  at::AutoDispatchBelowADInplaceOrView below_autograd;
  c10::NoGradGuard no_grad;
};

const void* key_of(const at::Tensor& tensor) {
  return tensor.has_storage() ? static_cast<const void*>(tensor.storage().unsafeGetStorageImpl())
                              : static_cast<const void*>(tensor.unsafeGetTensorImpl());
}

c10::weak_intrusive_ptr<c10::StorageImpl> weak_storage(const at::Tensor& tensor) {
  return tensor.has_storage()
             ? tensor.storage().getWeakStorageImpl()
             : c10::weak_intrusive_ptr<c10::StorageImpl>(c10::intrusive_ptr<c10::StorageImpl>());
}

// Nobody can switch off the requires_grad of what has a grad_fn.
void note_requires_grad(OutsideTensor& entry, const at::Tensor& tensor) {
  if (!tensor.is_leaf() || entry.handles.size() >= kMostHandles) {
    return;
  }
  const bool is_known =
      std::any_of(entry.handles.begin(), entry.handles.end(), [&](const SeenRequiresGrad& seen) {
        return seen.tensor._unsafe_get_target() == tensor.unsafeGetTensorImpl();
      });
  if (!is_known) {
    entry.handles.push_back({c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>(
                                 tensor.getIntrusivePtr()),
                             tensor.requires_grad()});
  }
}

}  // namespace

at::Tensor bytes_of(const c10::Storage& storage) {
  const Invisible invisible;
  const auto bytes = static_cast<std::int64_t>(storage.nbytes());
  return at::empty({0}, at::TensorOptions().dtype(at::kByte).device(storage.device()))
      .set_(storage, 0, {bytes}, {1});
}

at::Tensor copy_of_bytes(const c10::Storage& storage) {
  const at::Tensor bytes = bytes_of(storage);
  const Invisible invisible;
  return bytes.clone();
}

void overwrite_bytes(const c10::Storage& storage, const at::Tensor& bytes) {
  const at::Tensor target = bytes_of(storage);
  const Invisible invisible;
  // A function may have resized the storage; that shows as a mismatch, not as an error in here.
  target.resize_(bytes.sizes()).copy_(bytes);
}

void OutsideTensors::before_use(const at::Tensor& tensor, bool is_written) {
  const auto [position, is_new] =
      known_.try_emplace(key_of(tensor), Known{weak_storage(tensor), kInside});
  if (is_new) {
    OutsideTensor entry{.storage = weak_storage(tensor)};
    if (!tensor.is_inference()) {  // inference tensors count no versions
      entry.version = tensor.unsafeGetTensorImpl()->version_counter();
      entry.seen_version = entry.version.current_version();
    }
    if (!tensor.is_nested()) {  // asking a nested tensor for its sizes ends the process
      entry.sizes.append(tensor.sizes().begin(), tensor.sizes().end());
    }
    position->second.index = static_cast<std::int64_t>(outside_.size());
    outside_.push_back(std::move(entry));
  }
  if (position->second.index == kInside) {
    return;
  }
  OutsideTensor& entry = outside_[static_cast<std::size_t>(position->second.index)];
  note_requires_grad(entry, tensor);
  if (!is_written) {
    return;
  }
  if (!entry.is_written) {
    if (!tensor.has_storage()) {
      throw std::runtime_error(
          "checkpoint: a region may write only outside tensors with a dense storage, got " +
          tensor.toString());
    }
    entry.before = copy_of_bytes(tensor.storage());
    entry.is_written = true;
  }
}

void OutsideTensors::after_result(const at::Tensor& tensor) {
  // An alias of an outside tensor has its storage, which is known as outside already.
  known_.try_emplace(key_of(tensor), Known{weak_storage(tensor), kInside});
}

bool OutsideTensors::is_inside(const at::Tensor& tensor) const {
  const auto position = known_.find(key_of(tensor));
  return position != known_.end() && position->second.index == kInside;
}

const OutsideTensor* OutsideTensors::written(const c10::StorageImpl* storage) const {
  const auto entry = std::find_if(outside_.begin(), outside_.end(), [&](const OutsideTensor& o) {
    return o.is_written && o.storage._unsafe_get_target() == storage;
  });
  return entry == outside_.end() ? nullptr : &*entry;
}

std::int64_t OutsideTensors::bytes() const {
  std::int64_t sum = 0;
  for (const OutsideTensor& entry : outside_) {
    sum += entry.is_written ? static_cast<std::int64_t>(entry.before.nbytes()) : 0;
  }
  return sum;
}

void OutsideTensors::forget_inside() { known_.clear(); }

void OutsideTensors::check_unchanged(const std::string& region) const {
  for (const OutsideTensor& entry : outside_) {
    if (entry.is_written || !entry.version.enabled()) {
      continue;
    }
    TORCH_CHECK(entry.version.current_version() == entry.seen_version,
                "one of the variables needed for gradient computation has been modified by an "
                "inplace operation: a tensor of shape ",
                c10::IntArrayRef(entry.sizes), " that the checkpointed region '", region,
                "' read is at version ", entry.version.current_version(), "; expected version ",
                entry.seen_version, " instead.");
  }
}

RestoredRequiresGrad::RestoredRequiresGrad(const OutsideTensors& first_run) {
  for (const OutsideTensor& entry : first_run.outside()) {
    for (const SeenRequiresGrad& seen : entry.handles) {
      if (auto impl = seen.tensor.lock()) {
        const at::Tensor tensor{std::move(impl)};
        if (tensor.is_leaf() && tensor.requires_grad() != seen.requires_grad) {
          tensor.set_requires_grad(seen.requires_grad);
          changed_.push_back(tensor);
        }
      }
    }
  }
}

RestoredRequiresGrad::~RestoredRequiresGrad() {
  for (const at::Tensor& tensor : changed_) {
    // An op of the function may have made it part of a graph; then there is no flag to give back.
    if (tensor.is_leaf()) {
      tensor.set_requires_grad(!tensor.requires_grad());
    }
  }
}

RestoredContents::RestoredContents(const OutsideTensors& first_run, const OutsideTensors& rerun)
    : rerun_(rerun) {
  for (const OutsideTensor& entry : first_run.outside()) {
    if (!entry.is_written) {
      continue;
    }
    if (auto impl = entry.storage.lock()) {
      const c10::Storage storage(std::move(impl));
      present_.push_back({storage, copy_of_bytes(storage), entry.version,
                          entry.version.enabled() ? entry.version.current_version() : 0});
    }
  }
  // All copies are there before the first byte changes: they may not all have found memory.
  for (Present& present : present_) {
    const OutsideTensor& entry = *first_run.written(present.storage.unsafeGetStorageImpl());
    overwrite_bytes(present.storage, entry.before);
    // The rerun counts on from where the first run did: what it saves of this storage then has
    // the version that plain autograd would have noted, and a later write is noticed.
    if (entry.version.enabled()) {
      present.version.set_version(entry.seen_version);
    }
  }
}

RestoredContents::~RestoredContents() {
  add_writes_of_rerun();
  for (Present& entry : present_) {
    overwrite_bytes(entry.storage, entry.bytes);
    if (entry.version.enabled()) {
      entry.version.set_version(entry.version_number);
    }
  }
}

bool RestoredContents::is_present(const OutsideTensor& entry) const {
  return std::any_of(present_.begin(), present_.end(), [&](const Present& present) {
    return present.storage.unsafeGetStorageImpl() == entry.storage._unsafe_get_target();
  });
}

bool RestoredContents::undoes_other_writes() const {
  return std::any_of(
      rerun_.outside().begin(), rerun_.outside().end(),
      [&](const OutsideTensor& entry) { return entry.is_written && !is_present(entry); });
}

bool RestoredContents::undoes_write_to(const c10::StorageImpl* storage) const {
  const OutsideTensor* const entry = rerun_.written(storage);
  return entry != nullptr && !is_present(*entry);
}

void RestoredContents::add_writes_of_rerun() {
  for (const OutsideTensor& entry : rerun_.outside()) {
    if (!entry.is_written || is_present(entry)) {
      continue;
    }
    if (auto impl = entry.storage.lock()) {
      present_.push_back(
          {c10::Storage(std::move(impl)), entry.before, entry.version, entry.seen_version});
    }
  }
}

}  // namespace reprise::tape
