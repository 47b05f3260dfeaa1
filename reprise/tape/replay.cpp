// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/replay.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>

#include "reprise/tape/frame.h"
#include "reprise/tape/outside_tensors.h"
#include "reprise/tape/random_states.h"

namespace reprise::tape {
namespace {

// What a thread has on where the op ran, and what it must not see again.
class BelowEverything {
 private:
  UnseenOps unseen_;
  at::AutoDispatchBelowADInplaceOrView below_autograd_;
  c10::impl::ExcludeDispatchKeyGuard no_autocast_{c10::autocast_dispatch_keyset};
  c10::impl::ExcludeDispatchKeyGuard no_python_{c10::python_ks};
  c10::impl::IncludeDispatchKeyGuard defaults_{c10::default_included_set};
};

// Gives the process the default dtype of an op for a scope, if it is another one.
class DefaultDtype {
 public:
  explicit DefaultDtype(caffe2::TypeMeta dtype) : present_(c10::get_default_dtype()) {
    if (dtype != present_) {
      c10::set_default_dtype(dtype);
    }
  }
  ~DefaultDtype() {
    if (c10::get_default_dtype() != present_) {
      c10::set_default_dtype(present_);
    }
  }
  DefaultDtype(const DefaultDtype&) = delete;
  DefaultDtype& operator=(const DefaultDtype&) = delete;

 private:
  caffe2::TypeMeta present_;
};

c10::Storage new_storage(std::int64_t bytes, c10::Device device) {
  const BelowEverything below;
  return at::empty({bytes}, at::TensorOptions().dtype(at::kByte).device(device)).storage();
}

}  // namespace

// Where the op finds what it reads: in the value that it read or, if that is gone and nobody has
// touched these elements since, in a later one of the storage.
ValueId Replay::source_of(const OpRecord& op, const TensorRef& ref) {
  if (values_.at(ref.value).next == kNoValue || op.writes(ref.value)) {
    return ref.value;
  }
  if (const auto moved = moved_.find(&ref); moved != moved_.end()) {
    return moved->second;
  }
  if (instances_.contains(ref.value)) {
    return ref.value;
  }
  const ValueId later = values_.surviving(ref);
  if (later == ref.value || anew_.contains(later) || !values_.find(later)) {
    return ref.value;
  }
  moved_.emplace(&ref, later);
  return later;
}

void Replay::collect(const RebuildRequest& request) {
  std::vector<ValueId> to_find = request.wanted;
  if (request.anew) {
    anew_.insert(to_find.begin(), to_find.end());
  }
  std::unordered_set<OpId> needed;
  while (!to_find.empty()) {
    const ValueId value = to_find.back();
    to_find.pop_back();
    const auto [position, is_new] = instances_.try_emplace(value);
    if (!is_new || values_.at(value).opaque.defined()) {
      continue;
    }
    const ValueRecord& record = values_.at(value);
    if (record.is_external() || !anew_.contains(value)) {
      position->second.storage = values_.find(value);
    }
    if (!position->second.storage && needed.insert(record.maker).second) {
      TORCH_INTERNAL_ASSERT(!record.is_external(), "value ", value, " of a tape has no bytes");
      const OpRecord& op = *ops_[static_cast<std::size_t>(record.maker)];
      op.for_each_read([&](const TensorRef& ref) { to_find.push_back(source_of(op, ref)); });
    }
  }
  order_.assign(needed.begin(), needed.end());
  std::sort(order_.begin(), order_.end());
  for (const OpId id : order_) {
    const OpRecord& op = *ops_[static_cast<std::size_t>(id)];
    op.for_each_read([&](const TensorRef& ref) { ++instances_.at(source_of(op, ref)).readers; });
  }
  for (const ValueId value : request.wanted) {
    instances_.at(value).is_wanted = true;
  }
  if (request.has_use) {
    for (auto& [value, instance] : instances_) {
      instance.is_of_use = !instance.storage && request.has_use(value);
    }
  }
}

Replay::WrittenStorages Replay::storages_to_write(const OpRecord& op) {
  WrittenStorages storages;
  for (const Write& write : op.written) {
    const ValueRecord& record = values_.at(write.before);
    if (!write.reads_before) {
      storages.emplace(write.before, new_storage(record.bytes, record.device));
      continue;
    }
    Instance& before = instances_.at(write.before);
    std::int64_t mentions = 0;
    op.for_each_read([&](const TensorRef& ref) { mentions += ref.value == write.before ? 1 : 0; });
    const bool is_free =
        before.is_own && !before.is_wanted && !before.is_of_use && before.readers == mentions;
    storages.emplace(write.before,
                     is_free ? take_from(before) : copy_of_bytes(before.storage).storage());
  }
  return storages;
}

at::Tensor Replay::tensor_of(const OpRecord& op, const TensorRef& ref,
                             const WrittenStorages& written) {
  if (ref.value == kNoValue) {
    return {};
  }
  if (const at::Tensor& opaque = values_.at(ref.value).opaque; opaque.defined()) {
    return opaque;
  }
  const auto position = written.find(ref.value);
  return ref.view->over(position != written.end() ? position->second
                                                  : instances_.at(source_of(op, ref)).storage);
}

void Replay::restore_generator(OpId id) {
  const at::Generator& generator = ops_[static_cast<std::size_t>(id)]->generator;
  if (generator.defined()) {
    const at::Tensor state = states_.before(id);
    TORCH_INTERNAL_ASSERT(state.defined(), "op ", id, " of a tape has lost its random state");
    drawn_from_.remember(generator);
    set_state(generator, state);
  }
}

void Replay::place(ValueId value, c10::Storage storage) {
  const auto position = instances_.find(value);
  // Values that nobody asked for, and those that are still where they were.
  if (position == instances_.end() || position->second.storage) {
    return;
  }
  position->second.storage = std::move(storage);
  position->second.is_own = true;
  own_bytes_ += static_cast<std::int64_t>(position->second.storage.nbytes());
  peak_bytes_ = std::max(peak_bytes_, own_bytes_);
  if (position->second.is_of_use) {
    values_.add_rebuilt(value, position->second.storage);
    take_(value, position->second.storage);
  }
}

void Replay::take_results(const OpRecord& op, const WrittenStorages& written,
                          const std::vector<c10::IValue>& results) {
  for (const Write& write : op.written) {
    place(write.after, written.at(write.before));
  }
  for (const MadeResult& made : op.results) {
    const c10::IValue& result = results[made.index];
    place(made.value,
          (result.isTensor() ? result.toTensor() : result.toListRef()[made.element].toTensor())
              .storage());
  }
}

c10::Storage Replay::take_from(Instance& instance) {
  if (instance.is_own && instance.storage) {
    own_bytes_ -= static_cast<std::int64_t>(instance.storage.nbytes());
  }
  return std::exchange(instance.storage, {});
}

void Replay::release_reads(const OpRecord& op) {
  op.for_each_read([&](const TensorRef& ref) {
    Instance& instance = instances_.at(source_of(op, ref));
    --instance.readers;
    if (instance.readers == 0 && !instance.is_wanted) {
      take_from(instance);
    }
  });
}

void Replay::run_op(OpId id) {
  const OpRecord& op = *ops_[static_cast<std::size_t>(id)];
  const WrittenStorages written = storages_to_write(op);
  std::vector<c10::IValue> stack =
      op.filled([&](const TensorRef& ref) { return tensor_of(op, ref, written); });
  restore_generator(id);
  {
    const BelowEverything below;
    const c10::AutoGradMode grad_mode(op.grad_mode);
    const DefaultDtype default_dtype(op.default_dtype);
    run_below_tape(op.op, op.keys, stack);
  }
  take_results(op, written, stack);
  stack.clear();
  release_reads(op);
}

std::vector<c10::Storage> Replay::run(const RebuildRequest& request) {
  take_ = request.take;
  collect(request);
  for (const OpId id : order_) {
    run_op(id);
  }
  std::vector<c10::Storage> storages;
  storages.reserve(request.wanted.size());
  for (const ValueId value : request.wanted) {
    const Instance& instance = instances_.at(value);
    if (instance.is_own && !instance.is_of_use) {
      values_.add_rebuilt(value, instance.storage);
    }
    storages.push_back(instance.storage);
  }
  return storages;
}

}  // namespace reprise::tape
