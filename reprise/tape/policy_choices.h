// SPDX-License-Identifier: Apache-2.0
// PolicyChoices: what the policies of one region say of the values that are made in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "reprise/tape/op_policy.h"
#include "reprise/tape/op_record.h"

namespace reprise::tape {

class PolicyChoices {
 public:
  // Either may be empty: then nothing is saved on its word.
  PolicyChoices(OpPolicy policy, NamePolicy name_policy)
      : policy_(std::move(policy)), name_policy_(std::move(name_policy)) {}

  bool asks_of_ops() const { return policy_ != nullptr; }
  // `op` has made these values.
  void note_op(const RegionOp& op, const std::vector<ValueId>& made);
  void note_name(ValueId value, const std::string& name);

  // Nothing, if the value is to be recomputed.
  std::optional<SaveAction> save(ValueId value) const;

 private:
  void choose(ValueId value, SaveAction action);

  OpPolicy policy_;
  NamePolicy name_policy_;
  std::unordered_map<ValueId, SaveAction> saves_;
};

}  // namespace reprise::tape
