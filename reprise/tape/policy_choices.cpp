// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/policy_choices.h"

namespace reprise::tape {

void PolicyChoices::note_op(const RegionOp& op, const std::vector<ValueId>& made) {
  if (!policy_) {
    return;
  }
  const SaveAction action = policy_(op);
  for (const ValueId value : made) {
    choose(value, action);
  }
}

void PolicyChoices::note_name(ValueId value, const std::string& name) {
  if (name_policy_) {
    choose(value, name_policy_(name));
  }
}

void PolicyChoices::choose(ValueId value, SaveAction action) {
  if (action == SaveAction::kMustRecompute || action == SaveAction::kPreferRecompute) {
    saves_.erase(value);
  } else {
    saves_.insert_or_assign(value, action);
  }
}

std::optional<SaveAction> PolicyChoices::save(ValueId value) const {
  const auto position = saves_.find(value);
  return position == saves_.end() ? std::nullopt : std::optional(position->second);
}

}  // namespace reprise::tape
