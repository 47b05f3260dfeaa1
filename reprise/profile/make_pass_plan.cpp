// SPDX-License-Identifier: Apache-2.0
#include "reprise/profile/make_pass_plan.h"

#include <algorithm>

namespace reprise::profile {
namespace {

// Something happens to an instance of a value.
struct Touch {
  int event = 0;
  bool makes = false;
};

// Calls on_replay(use, recipe) for each replay of a schedule and on_use(use) for each use, in the
// order of backward.
template <class OnReplay, class OnUse>
void for_each_event(const plan::Program& program, const plan::Schedule& schedule,
                    const OnReplay& on_replay, const OnUse& on_use) {
  auto replays = schedule.replays.begin();
  for (std::size_t use = 0; use < program.uses.size(); ++use) {
    if (replays != schedule.replays.end() && replays->before_use == static_cast<int>(use)) {
      for (const int recipe : replays->recipes) {
        on_replay(use, program.recipes[static_cast<std::size_t>(recipe)]);
      }
      ++replays;
    }
    on_use(use);
  }
}

// What each event reads and makes.
class Lifetimes {
 public:
  Lifetimes(const plan::Program& program, const plan::Schedule& schedule)
      : touches_(program.values.size()) {
    for_each_event(
        program, schedule,
        [this](std::size_t /*use*/, const plan::Recipe& recipe) {
          add(recipe.inputs, false);
          add(recipe.outputs, true);
          ++events_;
        },
        [&](std::size_t use) {
          add(program.uses[use].needs, false);
          ++events_;
        });
  }

  // What forward made of it is read in backward.
  bool is_kept(int value) const { return !of(value).empty() && !of(value).front().makes; }
  // The instance that is there at the event is not read after it.
  bool ends(int value, int event) const {
    const auto later =
        std::partition_point(of(value).begin(), of(value).end(),
                             [event](const Touch& touch) { return touch.event <= event; });
    return later == of(value).end() || later->makes;
  }

 private:
  void add(const std::vector<int>& values, bool makes) {
    for (const int value : values) {
      touches_[static_cast<std::size_t>(value)].push_back({.event = events_, .makes = makes});
    }
  }
  const std::vector<Touch>& of(int value) const {
    return touches_[static_cast<std::size_t>(value)];
  }

  std::vector<std::vector<Touch>> touches_;  // per value
  int events_ = 0;
};

}  // namespace

PassIdentity identify(tape::Pass& pass, const RecordedPass& recorded, const BuiltProgram& built) {
  const tape::ValueTable& values = pass.tape().values();
  PassIdentity identity{.hashes_after_ops = pass.hashes_after_ops(),
                        .forward_hash = pass.hash(),
                        .root_of_value = {},
                        .last_of_value = {},
                        .node_of_use = recorded.node_of_use,
                        .pass_values = values.size()};
  for (const int storage : built.storage_of_value) {
    const tape::ValueId root = recorded.root_of_storage[static_cast<std::size_t>(storage)];
    identity.root_of_value.push_back(root);
    tape::ValueId last = root;
    while (values.at(last).next != tape::kNoValue) {
      last = values.at(last).next;
    }
    identity.last_of_value.push_back(last);
  }
  return identity;
}

tape::PassPlan make_pass_plan(const plan::Program& program, const plan::Schedule& schedule,
                              const PassIdentity& identity) {
  const Lifetimes lifetimes(program, schedule);
  tape::PassPlan plan{.hashes_after_ops = identity.hashes_after_ops,
                      .forward_hash = identity.forward_hash,
                      .is_kept = std::vector<bool>(static_cast<std::size_t>(identity.pass_values)),
                      .uses = {}};
  const auto root = [&](int value) {
    return identity.root_of_value[static_cast<std::size_t>(value)];
  };
  for (int value = 0; value < static_cast<int>(program.values.size()); ++value) {
    if (lifetimes.is_kept(value)) {
      plan.is_kept[static_cast<std::size_t>(root(value))] = true;
    }
  }
  int event = 0;
  const auto add_ends = [&](const std::vector<int>& touched, std::vector<tape::ValueId>& ends) {
    for (const int value : touched) {
      if (lifetimes.ends(value, event)) {
        ends.push_back(root(value));
      }
    }
  };
  for (const std::int64_t node : identity.node_of_use) {
    plan.uses.push_back({.node = node, .replays = {}, .ends = {}});
  }
  for_each_event(
      program, schedule,
      [&](std::size_t use, const plan::Recipe& recipe) {
        tape::PassPlan::Replay& replay = plan.uses[use].replays.emplace_back();
        for (const int output : recipe.outputs) {
          replay.makes.push_back(identity.last_of_value[static_cast<std::size_t>(output)]);
        }
        add_ends(recipe.inputs, replay.ends);
        add_ends(recipe.outputs, replay.ends);
        ++event;
      },
      [&](std::size_t use) {
        add_ends(program.uses[use].needs, plan.uses[use].ends);
        ++event;
      });
  return plan;
}

}  // namespace reprise::profile
