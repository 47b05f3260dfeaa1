// SPDX-License-Identifier: Apache-2.0
// PlanFollower: does to a pass what a plan says, event by event.
//
// An op that is not the one in the plan may be that of another plan, which is followed then. Else
// it is where the pass departs: an online policy, which starts from what is held then, takes over.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "reprise/tape/online_policy.h"
#include "reprise/tape/pass_plan.h"
#include "reprise/tape/pass_policy.h"

namespace reprise::tape {

class PlanFollower final : public PassPolicy {
 public:
  struct Callbacks {
    // A plan of another pass that has run the same ops so far, up to `op`; null if there is none.
    std::function<std::shared_ptr<const PassPlan>(std::size_t op, std::uint64_t hash)> find_other;
    // The pass is the one of the plan, and backward begins.
    std::function<void()> before_backward;
  };

  // `limits`: of the policy that takes over.
  PlanFollower(std::shared_ptr<const PassPlan> plan, Callbacks callbacks, OnlineLimits limits)
      : plan_(std::move(plan)), callbacks_(std::move(callbacks)), limits_(limits) {}

  void before_op(const PassParts& parts, const c10::OperatorHandle& op) override;
  void after_op(const PassParts& parts, OpId id) override;
  void on_save(const PassParts& parts, ValueId root, const c10::Storage& storage) override;
  void begin_use(const PassParts& parts, std::int64_t node) override;
  void end_use(const PassParts& parts) override;
  void on_missing_made(const PassParts& parts, ValueId root) override;
  void on_unneeded(const PassParts& parts, ValueId root) override;
  bool makes_room() const override { return makes_room_; }
  void make_room(const PassParts& parts, std::int64_t bytes) override;

  bool has_departed() const { return fallback_.has_value(); }
  // Who has taken over; null if nobody has.
  const OnlinePolicy* fallback() const { return fallback_ ? &*fallback_ : nullptr; }

 private:
  bool is_planned(std::size_t op, std::uint64_t hash) const;
  void switch_plan(const PassParts& parts, std::size_t op);
  void depart(const PassParts& parts);

  std::shared_ptr<const PassPlan> plan_;  // shared with the passes that follow it
  Callbacks callbacks_;
  OnlineLimits limits_;
  std::optional<OnlinePolicy> fallback_;
  std::atomic<bool> makes_room_ = false;  // there is one
  std::size_t next_use_ = 0;
};

}  // namespace reprise::tape
