// SPDX-License-Identifier: Apache-2.0
// OnlinePolicy: keeps a pass inside its budget that nobody has planned. Everything that is saved is
// kept until room is needed; then what is cheap to make again for its bytes, and has not been used
// for long, goes first: dynamic tensor rematerialisation with the score h_DTR^eq (Kirisame et al.
// 2021, arXiv 2006.09616; plan/dtr/scores.h).
//
// Room is made before each allocation of a thread that has a gate for them (counting_allocator.h).
// On other devices, and in a backward on another thread, nobody tells of an allocation: there room
// is made before each op of forward, for as much as the same operator has taken so far, and when an
// op, a replayed value or a node of backward is done.
//
// A backward that has replayed `most_replays_per_op` times as many ops as there are in forward is
// thrashing: it makes the same values again and again, each time to drop them before they are asked
// for. From then on nothing is dropped for room, so each value is made once more at most.
#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <c10/util/SmallVector.h>

#include "reprise/plan/dtr/cost_classes.h"
#include "reprise/tape/backward_end.h"
#include "reprise/tape/device_memory.h"
#include "reprise/tape/pass_policy.h"

namespace reprise::tape {

struct OnlineLimits {
  DeviceMemory& memory;  // must outlive the policy
  // That live bytes are to stay below, new ones included.
  std::int64_t most_live_bytes = std::numeric_limits<std::int64_t>::max();
  double most_replays_per_op = std::numeric_limits<double>::infinity();
};

class OnlinePolicy final : public PassPolicy {
 public:
  explicit OnlinePolicy(OnlineLimits limits) : limits_(limits) {}

  // Takes over in the midst of a pass: ops that ran before are taken for equally dear.
  void adopt(const PassParts& parts);

  void before_op(const PassParts& parts, const c10::OperatorHandle& op) override;
  void after_op(const PassParts& parts, OpId id) override;
  void on_save(const PassParts& parts, ValueId root, const c10::Storage& storage) override;
  void begin_use(const PassParts& parts, std::int64_t node) override;
  void end_use(const PassParts& parts) override;
  void on_missing_made(const PassParts& parts, ValueId root) override;
  void on_unneeded(const PassParts& parts, ValueId root) override;
  void make_room(const PassParts& parts, std::int64_t bytes) override;

  std::int64_t evictions() const { return evictions_; }
  bool is_thrashing() const { return is_thrashing_; }

 private:
  static constexpr int kNoMember = -1;
  struct Entry {
    double cost_us = 0;  // of the ops that make its storage
    double last_use_us = 0;
    int member = kNoMember;                   // of a class of costs, while its bytes are nowhere
    c10::SmallVector<ValueId, 4> neighbours;  // that it is made from, and that are made from it
  };
  Entry& at(ValueId root);
  void touch(ValueId root) { at(root).last_use_us = clock_us_; }
  bool is_told_of_allocations() const;
  void make_room_unasked(const PassParts& parts, std::int64_t bytes);
  void count_replays(const PassParts& parts);
  void link(const PassParts& parts, const OpRecord& op, double cost_us);
  ValueId pick_victim(const PassParts& parts);
  double score(ValueId root, std::int64_t bytes);
  void evict(const PassParts& parts, ValueId root);
  void note_gone(const PassParts& parts, ValueId root);

  OnlineLimits limits_;
  // The most that a call has taken and kept; where nobody tells of allocations.
  std::unordered_map<c10::OperatorName, std::int64_t> growth_;
  std::int64_t live_before_op_ = 0;
  std::vector<Entry> entries_;  // per root
  plan::dtr::CostClasses classes_;
  plan::dtr::ClassSum near_classes_;  // of score()
  double clock_us_ = 0;               // CPU time spent in recorded ops
  double op_began_us_ = 0;
  std::int64_t evictions_ = 0;
  int backward_ = kNoBackward;         // under way
  std::int64_t replays_at_begin_ = 0;  // of it
  bool is_thrashing_ = false;
};

}  // namespace reprise::tape
