// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/online.h"

#include <algorithm>

#include "reprise/plan/chain/binomial.h"
#include "reprise/plan/checks.h"

namespace reprise::plan {
namespace {

// The latest state that a later one outranks, or the end.
std::vector<OnlineState>::iterator latest_dispensable(std::vector<OnlineState>& held) {
  std::int64_t highest = -1;
  for (auto place = held.end(); place != held.begin();) {
    --place;
    if (place->level < highest) {
      return place;
    }
    highest = std::max(highest, place->level);
  }
  return held.end();
}

}  // namespace

OnlineSnapshots::OnlineSnapshots(std::int64_t capacity) : capacity_(capacity) {
  require_at_least("OnlineSnapshots", "capacity", capacity, 1);
}

std::int64_t OnlineSnapshots::take_next() {
  OnlineState taken{.state = next_++, .level = 0};
  std::int64_t replaced = 0;
  if (std::ssize(held_) == capacity_) {
    auto place = latest_dispensable(held_);
    if (place == held_.end()) {
      place = held_.end() - 1;
      taken.level = place->level + 1;
    }
    replaced = place->state;
    held_.erase(place);
  }
  held_.push_back(taken);
  return replaced;
}

std::vector<Action> online_actions(std::int64_t steps, std::int64_t snapshots) {
  require_at_least("online_actions", "steps", steps, 1);
  require_at_least("online_actions", "snapshots", snapshots, 2);
  OnlineSnapshots online(snapshots - 1);
  std::vector<Action> actions = {snapshot(0)};
  for (std::int64_t state = 1; state < steps; ++state) {
    actions.push_back(advance(state - 1, state));
    if (const std::int64_t replaced = online.take_next(); replaced != 0) {
      actions.push_back(discard(replaced));
    }
    actions.push_back(snapshot(state));
  }

  std::vector<std::int64_t> begins = {0};
  for (const OnlineState& held : online.held()) {
    begins.push_back(held.state);
  }
  // The last state is live and held: the rule takes every state, the newest is never replaced
  // before the next one comes.
  actions.push_back(record(steps - 1));
  actions.push_back(reverse(steps - 1));
  actions.push_back(discard(steps - 1));
  std::int64_t end = steps - 1;
  begins.pop_back();
  for (; !begins.empty(); end = begins.back(), begins.pop_back()) {
    actions.push_back(restore(begins.back()));
    append_revolve(actions, {.begin = begins.back(),
                             .end = end,
                             .snapshots = snapshots - std::ssize(begins) + 1,
                             .begin_is_held = true});
  }
  return actions;
}

}  // namespace reprise::plan
