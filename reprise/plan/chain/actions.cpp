// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/actions.h"

#include <cstddef>

namespace reprise::plan {
namespace {

std::string name(ActionKind kind) {
  switch (kind) {
    case ActionKind::kAdvance:
      return "advance";
    case ActionKind::kSnapshot:
      return "snapshot";
    case ActionKind::kRestore:
      return "restore";
    case ActionKind::kDiscard:
      return "discard";
    case ActionKind::kRecord:
      return "record";
    case ActionKind::kReverse:
      return "reverse";
  }
  return "unknown";
}

int default_level(ActionKind kind) {
  return kind == ActionKind::kRecord || kind == ActionKind::kReverse ? kWork : 0;
}

}  // namespace

Action advance(std::int64_t from, std::int64_t to) {
  return {.kind = ActionKind::kAdvance, .at = from, .to = to};
}
Action snapshot(std::int64_t state, int level) {
  return {.kind = ActionKind::kSnapshot, .at = state, .level = level};
}
Action restore(std::int64_t state, int level) {
  return {.kind = ActionKind::kRestore, .at = state, .level = level};
}
Action discard(std::int64_t state, int level) {
  return {.kind = ActionKind::kDiscard, .at = state, .level = level};
}
Action record(std::int64_t step, int level, int option) {
  return {.kind = ActionKind::kRecord, .at = step, .level = level, .option = option};
}
Action reverse(std::int64_t step, int level) {
  return {.kind = ActionKind::kReverse, .at = step, .level = level};
}

std::string text(const Action& action) {
  std::string result = name(action.kind) + " " + std::to_string(action.at);
  if (action.kind == ActionKind::kAdvance) {
    return result.append("-").append(std::to_string(action.to));
  }
  if (action.level != default_level(action.kind)) {
    result.append(" in level ").append(std::to_string(action.level));
  }
  if (action.option != 0) {
    result.append(" by option ").append(std::to_string(action.option));
  }
  return result;
}

std::string text(const std::vector<Action>& actions) {
  std::string result;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    result.append(i == 0 ? "" : ", ");
    const Action& action = actions[i];
    if (action == record(action.at) && i + 1 < actions.size() &&
        actions[i + 1] == reverse(action.at)) {
      result.append("turn ").append(std::to_string(action.at));
      ++i;
    } else {
      result.append(text(action));
    }
  }
  return result;
}

}  // namespace reprise::plan
