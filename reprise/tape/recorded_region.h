// SPDX-License-Identifier: Apache-2.0
// RecordedRegion: a region whose values come back by replaying a tape. The user's function runs
// once.
//
// What autograd saves in the region is dropped. In backward the region brings all of it back at
// once, for what is still needed: running its ops again once, not once per value. Regions inside
// it share its tape; of those it brings back only what they start from, and each brings back its
// own later.
//
// Invariants:
// 1. Nodes of the graph own the region, which owns the tape; neither owns a node.
// 2. A value has storage only between `prepare` and its last use in that backward.
// 3. Once no handle is left the tape keeps nothing, although a result of the region may still live.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reprise/tape/backward_end.h"
#include "reprise/tape/kept_value.h"
#include "reprise/tape/policy_choices.h"
#include "reprise/tape/region_options.h"
#include "reprise/tape/region_values.h"
#include "reprise/tape/tape.h"

namespace reprise::tape {

class RecordedRegion final : public RegionValues,
                             public std::enable_shared_from_this<RecordedRegion> {
 public:
  // `outer`: the region around it, or null.
  RecordedRegion(std::shared_ptr<Tape> tape, RegionOptions options,
                 std::shared_ptr<RecordedRegion> outer);
  ~RecordedRegion() override;
  RecordedRegion(const RecordedRegion&) = delete;
  RecordedRegion& operator=(const RecordedRegion&) = delete;

  // While the region's function runs.
  // Of those values, the ones from before the region are what it starts from.
  void note_reads(const std::vector<ValueId>& values);
  std::int64_t add_value(const at::Tensor& tensor) override;
  ValueId value_id(std::int64_t index) { return at(index).ref.value; }
  // Only the op after the save has filled it.
  void move_on(std::int64_t index);
  PolicyChoices& choices() { return choices_; }
  const std::string& name() const { return options_.name; }
  bool made(ValueId value) const { return tape_->values().at(value).maker >= first_op_; }
  // Keeps the value's memory as long as this region or one inside needs any value. REQUIRES: it is
  // an outermost region.
  // `region`: the name of the one that asks for it.
  void keep(ValueId value, SaveAction action, const std::string& region);
  void let_go(ValueId value);
  // Throws c10::Error if one that must be saved is among those that an op is about to write.
  void require_not_kept(const std::vector<ValueId>& values, const c10::OperatorHandle& op) const;
  // The function has returned.
  void close();

  // In backward.
  void prepare() override;
  void drop_value(std::int64_t index) override;
  at::Tensor value(std::int64_t index) override;
  void release(std::int64_t index) override;
  // Whether a node of the graph still holds one of its handles, or of those of a region inside.
  bool is_needed() const;
  // Whether it is an outermost region whose ops have made what the tensor shows. After close().
  bool can_rebuild(const at::Tensor& tensor) const;
  // What the region and those inside of it keep from forward to backward.
  std::vector<KeptValue> kept_values() const;

 private:
  struct SavedValue {
    TensorRef ref;
    SeenVersion version;
    bool is_needed = true;
    c10::Storage storage = {};
  };
  struct PolicyValue {
    c10::Storage storage;
    SaveAction action;
    std::string region;
    bool is_counted = false;
  };
  using PolicyValues = std::unordered_map<ValueId, PolicyValue>;
  using Remains = std::pair<PolicyValues, KeptByTape>;
  SavedValue& at(std::int64_t index) { return saved_[static_cast<std::size_t>(index)]; }
  void fill();
  void drop_values();
  void end_backward(int backward);
  void count();
  void count_kept(RegionCounts& counts);
  RecordedRegion& outermost() { return outer_ ? outer_->outermost() : *this; }
  bool needs_values() const;
  Remains take_unneeded();
  void require_kept_unchanged();
  void append_saved(std::vector<TensorRef>& saved) const;

  std::shared_ptr<Tape> tape_;  // shared by the regions on it, which live as long as their nodes
  RegionOptions options_;
  std::shared_ptr<RecordedRegion> outer_;  // owned by its own nodes too
  std::vector<std::weak_ptr<RecordedRegion>> inner_;
  OpId first_op_;
  PolicyChoices choices_;
  PolicyValues kept_;
  std::vector<SavedValue> saved_;
  std::int64_t needed_ = 0;
  std::vector<ValueId> starts_;            // values from before the region that its ops read
  std::vector<c10::Storage> held_starts_;  // between the fills of the outer region and its own
  bool is_closed_ = false;
  int filled_for_ = kNoBackward;
};

}  // namespace reprise::tape
