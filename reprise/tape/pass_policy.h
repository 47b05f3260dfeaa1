// SPDX-License-Identifier: Apache-2.0
// PassPolicy: what a pass keeps and drops, and what it makes again ahead of a node.
#pragma once

#include <cstdint>
#include <vector>

#include "reprise/tape/held_values.h"
#include "reprise/tape/pass_watch.h"
#include "reprise/tape/tape.h"

namespace reprise::tape {

inline constexpr std::int64_t kNoNode = -1;

// What a policy works on. Values go by the first of their storage, their root.
struct PassParts {
  Tape& tape;
  HeldValues& held;
  const std::vector<std::int64_t>& handles;  // per root that has any: saved tensors still needed
  std::uint64_t hash = 0;                    // of all ops and saved tensors of forward so far
  bool is_late = false;                      // backward has begun
  PassWatch* watch = nullptr;

  bool is_needed(ValueId root) const {
    const auto index = static_cast<std::size_t>(root);
    return index < handles.size() && handles[index] > 0;
  }
  // Tape::rebuild, with the watch looking on.
  std::vector<c10::Storage> rebuild(const RebuildRequest& request) const;
  // Nothing recorded made the storage: it is kept whatever a policy says.
  bool is_external(ValueId root) const { return tape.values().at(root).is_external(); }
};

// All calls but makes_room() are made under the lock of the tape.
class PassPolicy {
 public:
  virtual ~PassPolicy() = default;

  virtual void before_op(const PassParts& /*parts*/, const c10::OperatorHandle& /*op*/) {}
  // An op was recorded.
  virtual void after_op(const PassParts& parts, OpId id) = 0;
  // Autograd has saved a tensor of a storage that a recorded op, or its replay, made.
  virtual void on_save(const PassParts& parts, ValueId root, const c10::Storage& storage) = 0;
  // A node of backward is about to get its first saved tensor. Nodes have numbers in the order in
  // which they saved theirs.
  virtual void begin_use(const PassParts& /*parts*/, std::int64_t /*node*/) {}
  virtual void end_use(const PassParts& /*parts*/) {}
  // A value was made again because a node asked for one that was not there.
  virtual void on_missing_made(const PassParts& parts, ValueId root) = 0;
  // No node needs a tensor of the storage any more.
  virtual void on_unneeded(const PassParts& parts, ValueId root) = 0;
  // Whether make_room() may do something.
  virtual bool makes_room() const { return true; }
  // Bytes are about to be allocated on this thread.
  virtual void make_room(const PassParts& parts, std::int64_t bytes) = 0;
};

}  // namespace reprise::tape
