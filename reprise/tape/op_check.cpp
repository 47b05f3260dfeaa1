// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/op_check.h"

#include <cstring>
#include <set>
#include <string>
#include <utility>

#include "reprise/tape/op_effects.h"
#include "reprise/tape/op_traits.h"
#include "reprise/tape/raise.h"
#include "reprise/tape/region_slots.h"

namespace reprise::tape {
namespace {

bool is_partly_unwritten(const OpRecord& op, const MadeResult& made) {
  const auto result = partly_unwritten_result(op.op);
  return result && *result == made.index;
}

// What the op made, as long as all of it has been written.
std::vector<ValueId> made_values(const OpRecord& op) {
  std::vector<ValueId> values;
  if (traits_of(op.op).makes_uninitialised) {
    return values;
  }
  for (const MadeResult& made : op.results) {
    if (!is_partly_unwritten(op, made)) {
      values.push_back(made.value);
    }
  }
  for (const Write& write : op.written) {
    values.push_back(write.after);
  }
  return values;
}

bool same_bytes(const c10::Storage& a, const c10::Storage& b) {
  if (a.data() == nullptr || b.data() == nullptr) {
    return a.data() == b.data();
  }
  return a.nbytes() == b.nbytes() && std::memcmp(a.data(), b.data(), a.nbytes()) == 0;
}

// By the op, through any of its arguments: one may be given twice, as in m.mul_(m).
std::set<const c10::StorageImpl*> written_storages(const c10::OperatorHandle& op,
                                                   OpArguments arguments) {
  std::set<const c10::StorageImpl*> storages;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (writes_argument(op, arguments, i)) {
      for_each_tensor(arguments[i], [&](const at::Tensor& tensor) {
        if (tensor.has_storage()) {
          storages.insert(tensor.storage().unsafeGetStorageImpl());
        }
      });
    }
  }
  return storages;
}

std::string place_of(OpId id, const std::string& name) {
  return "op " + std::to_string(id) + " (" + name + ")";
}

}  // namespace

void OpCheck::before_op(const c10::OperatorHandle& op, OpArguments arguments) {
  name_ = op.schema().name();
  only_read_.clear();
  const std::set<const c10::StorageImpl*> written = written_storages(op, arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for_each_tensor(arguments[i], [&](const at::Tensor& tensor) {
      if (tensor.has_storage() && written.contains(tensor.storage().unsafeGetStorageImpl())) {
        return;
      }
      if (const auto hash = hash_of_bytes(tensor)) {
        // Without its history, which may own us.
        only_read_.push_back({i, tensor.variable_data(), *hash});
      }
    });
  }
}

void OpCheck::after_op(const Tape& tape) {
  for (const Argument& argument : std::exchange(only_read_, {})) {
    if (hash_of_bytes(argument.tensor) != argument.hash) {
      raise(OpMismatch(place_of(tape.ops(), name_) + ": expected argument " +
                       std::to_string(argument.index) +
                       " to be only read, as its schema says, got other bytes in it"));
    }
  }
}

void OpCheck::replay(Tape& tape, OpId id) {
  const std::vector<ValueId> values = made_values(tape.op(id));
  std::vector<c10::Storage> made;
  made.reserve(values.size());
  for (const ValueId value : values) {
    made.push_back(tape.values().find(value));
  }
  const std::vector<c10::Storage> again = tape.rebuild({.wanted = values, .anew = true});
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (made[i] && again[i] && made[i].device().is_cpu() && !same_bytes(made[i], again[i])) {
      raise(OpMismatch(place_of(id, tape.op(id).op.schema().name()) +
                       ": expected a replay to give the same bits, got others in result " +
                       std::to_string(i)));
    }
  }
}

}  // namespace reprise::tape
