// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/outside_tensors.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/variable.h>

#include "reprise/tape/boundary_node.h"
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

void note_handle(OutsideTensor& entry, const at::Tensor& tensor) {
  if (entry.handles.size() >= kMostHandles) {
    return;
  }
  const bool is_known =
      std::any_of(entry.handles.begin(), entry.handles.end(), [&](const SeenHandle& seen) {
        return seen.tensor._unsafe_get_target() == tensor.unsafeGetTensorImpl();
      });
  if (!is_known) {
    entry.handles.push_back({c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>(
                                 tensor.getIntrusivePtr()),
                             tensor.requires_grad(), tensor.is_leaf()});
  }
}

// Whether a rerun would change what autograd knows of the tensor, or find it other than the first
// run did.
bool wants_restoring(const OutsideTensor& entry, const SeenHandle& seen, const at::Tensor& tensor) {
  // Without autograd's data there never was a graph.
  const bool may_join =
      seen.requires_grad || torch::autograd::impl::get_autograd_meta(tensor) != nullptr;
  return (entry.is_written && may_join) ||
         (seen.is_leaf && tensor.requires_grad() != seen.requires_grad);
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
    OutsideTensor entry{.storage = weak_storage(tensor), .version = SeenVersion(tensor)};
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
  note_handle(entry, tensor);
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
    if (!entry.is_written) {
      entry.version.require_unchanged([&] {
        std::ostringstream what;
        what << "a tensor of shape " << c10::IntArrayRef(entry.sizes)
             << " that the checkpointed region '" << region << "' read";
        return what.str();
      });
    }
  }
}

RestoredHistory::RestoredHistory(const OutsideTensors& first_run) {
  c10::intrusive_ptr<torch::autograd::Node> boundary;
  for (const OutsideTensor& entry : first_run.outside()) {
    for (const SeenHandle& seen : entry.handles) {
      auto impl = seen.tensor.lock();
      if (!impl) {
        continue;
      }
      const at::Tensor tensor{std::move(impl)};
      if (!wants_restoring(entry, seen, tensor)) {
        continue;
      }
      torch::autograd::AutogradMeta& meta =
          *torch::autograd::impl::materialize_autograd_meta(tensor);
      present_.push_back({tensor, meta.requires_grad_, meta.grad_fn_, meta.output_nr_});
      meta.requires_grad_ = seen.is_leaf && seen.requires_grad;
      meta.grad_fn_ = nullptr;
      meta.output_nr_ = 0;
      if (!seen.is_leaf) {
        if (!boundary) {
          boundary = make_boundary();
        }
        torch::autograd::impl::set_gradient_edge(tensor,
                                                 {boundary, boundary->add_input_metadata(tensor)});
      }
    }
  }
}

RestoredHistory::~RestoredHistory() {
  for (Present& each : present_) {
    torch::autograd::AutogradMeta& meta =
        *torch::autograd::impl::materialize_autograd_meta(each.tensor);
    meta.requires_grad_ = each.requires_grad;
    std::swap(meta.grad_fn_, each.node);  // the rerun's graph goes with present_
    meta.output_nr_ = each.output;
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
      SeenVersion present_version = entry.version;
      present_version.see_again();
      present_.push_back({storage, copy_of_bytes(storage), present_version});
    }
  }
  // All copies are there before the first byte changes: they may not all have found memory.
  for (Present& present : present_) {
    const OutsideTensor& entry = *first_run.written(present.storage.unsafeGetStorageImpl());
    overwrite_bytes(present.storage, entry.before);
    // The rerun counts on from where the first run did: what it saves of this storage then has
    // the version that plain autograd would have noted, and a later write is noticed.
    entry.version.rewind();
  }
}

RestoredContents::~RestoredContents() {
  add_writes_of_rerun();
  for (Present& entry : present_) {
    overwrite_bytes(entry.storage, entry.bytes);
    entry.version.rewind();
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
      present_.push_back({c10::Storage(std::move(impl)), entry.before, entry.version});
    }
  }
}

}  // namespace reprise::tape
