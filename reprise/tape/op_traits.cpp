// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/op_traits.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "reprise/tape/never_replay.h"
#include "reprise/tape/op_effects.h"

namespace reprise::tape {
namespace {

// Ops whose results look at their argument, though their schemas do not say so.
constexpr std::array kUndeclaredViews = {
    std::string_view("aten::_unsafe_view"),
    std::string_view("aten::unsafe_split"),
    std::string_view("aten::unsafe_split_with_sizes"),
};

bool gives_views(const c10::OperatorHandle& op) {
  const std::string& name = op.operator_name().name;
  if (std::find(kUndeclaredViews.begin(), kUndeclaredViews.end(), name) != kUndeclaredViews.end()) {
    return true;
  }
  const auto& results = op.schema().returns();
  return !results.empty() &&
         std::all_of(results.begin(), results.end(), [](const c10::Argument& result) {
           return result.alias_info() != nullptr && !result.alias_info()->isWrite();
         });
}

OpTraits look_up(const c10::OperatorHandle& op) {
  const auto& arguments = op.schema().arguments();
  const bool declares_writes =
      std::any_of(arguments.begin(), arguments.end(), [](const c10::Argument& argument) {
        return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
      });
  OpTraits traits{.may_replay = may_replay(op),
                  .is_random = is_random(op),
                  .makes_uninitialised = makes_uninitialised(op),
                  .may_write = declares_writes || may_write_undeclared(op)};
  traits.is_view = !traits.may_write && gives_views(op);
  return traits;
}

}  // namespace

const OpTraits& traits_of(const c10::OperatorHandle& op) {
  // A cache of facts; one per thread, so that no op waits for a lock.
  static thread_local std::unordered_map<c10::OperatorHandle, OpTraits> known;
  // Only never_replay() changes one, in place: others hold on to them.
  static thread_local int declarations = 0;
  if (declarations != never_replay_calls()) {
    declarations = never_replay_calls();
    for (auto& [each, traits] : known) {
      traits.may_replay = may_replay(each);
    }
  }
  const auto position = known.find(op);
  return position != known.end() ? position->second : known.emplace(op, look_up(op)).first->second;
}

}  // namespace reprise::tape
