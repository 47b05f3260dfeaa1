// SPDX-License-Identifier: Apache-2.0
// Online checkpointing: which states to hold while a chain runs whose length nobody knows yet.
//
// Wang, Moin, Iaccarino 2009 (SIAM Journal on Scientific Computing 31, "minimal repetition dynamic
// checkpointing"); the rule is our reconstruction from its claims. Wherever the chain stops, the
// states held allow the least number of repeats of the unluckiest step; the total number of
// advances is near revolve's, which knows the length, not equal to it.
#pragma once

#include <cstdint>
#include <vector>

#include "reprise/plan/chain/actions.h"

namespace reprise::plan {

// A state held online. One is dispensable while a later one of a higher level is held.
struct OnlineState {
  std::int64_t state = 0;
  std::int64_t level = 0;  // of the rule, no storage level

  bool operator==(const OnlineState&) const = default;
};

// Chooses the states to hold beside state 0, which always is.
// Invariants: states ascend; at most `capacity` are held.
class OnlineSnapshots {
 public:
  // Throws std::invalid_argument unless capacity >= 1.
  explicit OnlineSnapshots(std::int64_t capacity);

  // Takes the next state of the chain, 1 at the first call: with room left it is held at level 0;
  // else in place of the latest dispensable one at level 0; else in place of the newest one, one
  // level above it. So the first state at level T is beta(capacity, T). O(capacity).
  // Returns the state whose place it took, or 0 if there was room.
  std::int64_t take_next();

  const std::vector<OnlineState>& held() const { return held_; }

 private:
  std::int64_t capacity_;
  std::int64_t next_ = 1;
  std::vector<OnlineState> held_;
};

// The whole schedule for a chain that turns out to have `steps` steps, with `snapshots` states held
// at once, state 0 included (binomial.h counts in the same way). The last step is turned at once;
// then part by part between the states held, each by revolve with the room left. All in level 0.
// O(steps * snapshots + advances) actions and time.
// Throws std::invalid_argument unless steps >= 1 and snapshots >= 2.
std::vector<Action> online_actions(std::int64_t steps, std::int64_t snapshots);

}  // namespace reprise::plan
