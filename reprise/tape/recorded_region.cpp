// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/recorded_region.h"

#include <algorithm>
#include <sstream>
#include <unordered_set>
#include <utility>

#include "reprise/tape/list_kept.h"
#include "reprise/tape/live_count.h"
#include "reprise/tape/node_uses.h"

namespace reprise::tape {
RecordedRegion::RecordedRegion(std::shared_ptr<Tape> tape, RegionOptions options,
                               std::shared_ptr<RecordedRegion> outer)
    : tape_(std::move(tape)),
      options_(std::move(options)),
      outer_(std::move(outer)),
      first_op_(tape_->ops()),
      choices_(options_.policy, options_.name_policy) {
  count_live(1);
}

RecordedRegion::~RecordedRegion() { count_live(-1); }

void RecordedRegion::note_reads(const std::vector<ValueId>& values) {
  for (const ValueId value : values) {
    const OpId maker = tape_->values().at(value).maker;
    if (maker != kNoOp && maker < first_op_ &&
        std::find(starts_.begin(), starts_.end(), value) == starts_.end()) {
      starts_.push_back(value);
    }
  }
}

std::int64_t RecordedRegion::add_value(const at::Tensor& tensor) {
  const std::lock_guard lock(tape_->mutex());
  saved_.push_back({.ref = tape_->saved(tensor), .version = SeenVersion(tensor)});
  ++needed_;
  return static_cast<std::int64_t>(saved_.size()) - 1;
}

void RecordedRegion::move_on(std::int64_t index) {
  const std::lock_guard lock(tape_->mutex());
  at(index).ref.value = tape_->after_last_op(at(index).ref.value);
}

void RecordedRegion::keep(ValueId value, SaveAction action, const std::string& region) {
  const std::lock_guard lock(tape_->mutex());
  if (c10::Storage storage = tape_->values().find(value)) {
    kept_.insert_or_assign(
        value, PolicyValue{.storage = std::move(storage), .action = action, .region = region});
  }
}

void RecordedRegion::let_go(ValueId value) {
  const std::lock_guard lock(tape_->mutex());
  kept_.erase(value);
}

void RecordedRegion::require_not_kept(const std::vector<ValueId>& values,
                                      const c10::OperatorHandle& op) const {
  const std::lock_guard lock(tape_->mutex());
  for (const ValueId value : values) {
    const auto kept = kept_.find(value);
    TORCH_CHECK(kept == kept_.end() || !must_be_saved(kept->second.action),
                "checkpoint: ", op.operator_name().name, " writes a value of ",
                kept->second.storage.nbytes(), " bytes that the policy of the region '",
                kept->second.region,
                "' must save: expected an op that leaves it as it is, or a policy that only "
                "prefers to save it");
  }
}

void RecordedRegion::close() {
  Remains unneeded;  // freed after the lock
  const std::lock_guard lock(tape_->mutex());
  is_closed_ = true;
  if (outer_) {
    outer_->inner_.push_back(weak_from_this());
  }
  if (options_.stats) {
    count();
  }
  unneeded = take_unneeded();
}

bool RecordedRegion::needs_values() const {
  return needed_ > 0 || std::any_of(inner_.begin(), inner_.end(), [](const auto& weak_inner) {
           const auto inner = weak_inner.lock();
           return inner && inner->needs_values();
         });
}

// All that the tape and its regions keep, if that is over.
RecordedRegion::Remains RecordedRegion::take_unneeded() {
  RecordedRegion& owner = outermost();
  if (!owner.is_closed_ || owner.needs_values()) {
    return {};
  }
  return {std::exchange(owner.kept_, {}), tape_->take_kept()};
}

void RecordedRegion::require_kept_unchanged() {
  for (const auto& [value, kept] : outermost().kept_) {
    if (must_be_saved(kept.action)) {
      const ValueRecord& record = tape_->values().at(value);
      record.version.require_unchanged([&, &region = kept.region] {
        return "a value of " + std::to_string(record.bytes) +
               " bytes that the policy of the region '" + region + "' must save";
      });
    }
  }
}

bool RecordedRegion::can_rebuild(const at::Tensor& tensor) const {
  const std::lock_guard lock(tape_->mutex());
  const ValueId value = tape_->values().known_value(tensor);
  if (outer_ || value == kNoValue || tape_->has_given_up()) {
    return false;
  }
  const ValueRecord& record = tape_->values().at(value);
  return !record.is_external() && record.version.is_unchanged();
}

void RecordedRegion::append_saved(std::vector<TensorRef>& saved) const {
  for (const SavedValue& each : saved_) {
    saved.push_back(each.ref);
  }
  for (const std::weak_ptr<RecordedRegion>& weak_inner : inner_) {
    if (const auto inner = weak_inner.lock()) {
      inner->append_saved(saved);
    }
  }
}

std::vector<KeptValue> RecordedRegion::kept_values() const {
  const std::lock_guard lock(tape_->mutex());
  if (!needs_values()) {
    return {};
  }
  std::vector<TensorRef> saved;
  append_saved(saved);
  std::vector<ValueId> by_policy;
  std::unordered_set<const c10::StorageImpl*> storages;  // an op may write what another has made
  for (const auto& [value, kept] : kept_) {
    if (storages.insert(kept.storage.unsafeGetStorageImpl()).second) {
      by_policy.push_back(value);
    }
  }
  return list_kept(*tape_, first_op_, saved, by_policy);
}

bool RecordedRegion::is_needed() const {
  const std::lock_guard lock(tape_->mutex());
  return needed_ > 0 ||
         std::any_of(inner_.begin(), inner_.end(),
                     [](const std::weak_ptr<RecordedRegion>& inner) { return !inner.expired(); });
}

// What the policies keep of what was made in this region and not in one inside of it.
void RecordedRegion::count_kept(RegionCounts& counts) {
  std::unordered_set<const c10::StorageImpl*> kept_storages;
  for (auto& [value, kept] : outermost().kept_) {
    if (made(value) && !std::exchange(kept.is_counted, true)) {
      const bool is_new = kept_storages.insert(kept.storage.unsafeGetStorageImpl()).second;
      counts.policy_bytes += is_new ? tape_->values().at(value).bytes : 0;
      counts.offloads_kept += is_offload(kept.action) ? 1 : 0;
    }
  }
}

void RecordedRegion::count() {
  if (!needs_values()) {
    options_.stats->add(options_.name, {.idle_regions = 1});
    return;
  }
  RegionCounts counts{.regions = 1, .values = needed_};
  std::unordered_set<ValueId> dropped;
  for (const SavedValue& saved : saved_) {
    const ValueRecord& record = tape_->values().at(saved.ref.value);
    if (!record.is_external() && record.made_in.expired() &&
        dropped.insert(saved.ref.value).second) {
      counts.dropped_bytes += record.bytes;
    }
  }
  counts.kept_bytes = outer_ ? 0 : tape_->kept_bytes();
  count_kept(counts);
  options_.stats->add(options_.name, counts);
}

void RecordedRegion::prepare() {
  const std::lock_guard lock(tape_->mutex());
  const int backward = current_backward();
  if (backward == kNoBackward || backward != filled_for_) {
    fill();
  }
}

void RecordedRegion::fill() {
  if (filled_for_ != current_backward()) {
    drop_values();  // left over from a backward that threw
  }
  if (outer_) {
    outer_->prepare();
  }
  std::vector<ValueId> wanted;
  std::vector<c10::Storage*> places;
  for (SavedValue& saved : saved_) {
    if (saved.is_needed && !saved.storage) {
      wanted.push_back(saved.ref.value);
      places.push_back(&saved.storage);
    }
  }
  for (const std::weak_ptr<RecordedRegion>& weak_inner : inner_) {
    const auto inner = weak_inner.lock();
    if (inner && inner->needs_values()) {
      inner->held_starts_.assign(inner->starts_.size(), {});
      for (std::size_t i = 0; i < inner->starts_.size(); ++i) {
        wanted.push_back(inner->starts_[i]);
        places.push_back(&inner->held_starts_[i]);
      }
    }
  }
  if (is_closed_) {
    require_kept_unchanged();
  }
  const std::int64_t ops_before = tape_->replayed_ops();
  std::vector<c10::Storage> storages = tape_->rebuild({.wanted = wanted});
  for (std::size_t i = 0; i < places.size(); ++i) {
    *places[i] = std::move(storages[i]);
  }
  held_starts_.clear();
  if (options_.stats) {
    options_.stats->add(options_.name, {.recomputed_ops = tape_->replayed_ops() - ops_before,
                                        .replay_peak_bytes = tape_->last_replay_bytes()});
  }
  filled_for_ = current_backward();
  if (filled_for_ != kNoBackward) {
    at_end_of_backward(
        [weak_region = weak_from_this(), backward = filled_for_](bool /*has_returned*/) {
          if (const auto region = weak_region.lock()) {
            region->end_backward(backward);
          }
        });
  }
}

at::Tensor RecordedRegion::value(std::int64_t index) {
  note_node_use(*this, index);
  const std::lock_guard lock(tape_->mutex());
  at(index).version.require_unchanged([&] {
    std::ostringstream what;
    what << "a tensor of shape " << c10::IntArrayRef(at(index).ref.view->sizes)
         << " of the checkpointed region '" << options_.name << "'";
    return what.str();
  });
  const ValueId value = at(index).ref.value;
  if (const at::Tensor& opaque = tape_->values().at(value).opaque; opaque.defined()) {
    return opaque;
  }
  if (!is_closed_) {
    // Asked in the midst of the region, for a gradient that its function computes: most values are
    // still where they were.
    return at(index).ref.view->over(tape_->rebuild({.wanted = {value}})[0]);
  }
  if (!at(index).storage) {
    fill();
  }
  return at(index).ref.view->over(at(index).storage);
}

void RecordedRegion::release(std::int64_t index) {
  c10::Storage storage;  // freed after the lock
  Remains unneeded;
  const std::lock_guard lock(tape_->mutex());
  storage = std::move(at(index).storage);
  at(index).is_needed = false;
  --needed_;
  if (needed_ == 0) {
    held_starts_.clear();
    unneeded = take_unneeded();
  }
}

void RecordedRegion::drop_value(std::int64_t index) {
  const std::lock_guard lock(tape_->mutex());
  at(index).storage = {};
}

void RecordedRegion::drop_values() {
  for (SavedValue& saved : saved_) {
    saved.storage = {};
  }
  filled_for_ = kNoBackward;
}

void RecordedRegion::end_backward(int backward) {
  const std::lock_guard lock(tape_->mutex());
  if (filled_for_ == backward) {
    drop_values();
    held_starts_.clear();
  }
}

}  // namespace reprise::tape
