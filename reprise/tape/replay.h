// SPDX-License-Identifier: Apache-2.0
// Replay: runs recorded ops again, exactly those that some values need, in the order in which they
// ran.
//
// It has a private copy of whatever an op writes, unless it made that itself and nobody else reads
// it. Random ops draw what they drew; generators are as before afterwards.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "reprise/tape/generator_states.h"
#include "reprise/tape/op_match.h"
#include "reprise/tape/op_record.h"
#include "reprise/tape/present_generators.h"
#include "reprise/tape/value_table.h"

namespace reprise::tape {

struct RebuildRequest {
  std::vector<ValueId> wanted;
  // Makes all of them again, also those that are there.
  bool anew = false;
  // Whether somebody has use for a value that is made on the way to others. `take` is then called
  // with it as soon as it is there.
  std::function<bool(ValueId value)> has_use = {};
  std::function<void(ValueId value, const c10::Storage& storage)> take = {};
};

class Replay {
 public:
  // All must outlive the replay.
  Replay(const OpRecords& ops, const GeneratorStates& states, ValueTable& values)
      : ops_(ops), states_(states), values_(values) {}
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  // See Tape::rebuild. To be called once.
  std::vector<c10::Storage> run(const RebuildRequest& request);
  std::int64_t ops() const { return static_cast<std::int64_t>(order_.size()); }
  // Most bytes of values that it had made at one time.
  std::int64_t peak_bytes() const { return peak_bytes_; }

 private:
  struct Instance {
    c10::Storage storage = {};
    std::int64_t readers = 0;  // mentions in ops that have yet to run
    bool is_wanted = false;
    bool is_of_use = false;  // to others, once it is made
    bool is_own = false;     // made by this replay
  };
  using WrittenStorages = std::unordered_map<ValueId, c10::Storage>;

  void collect(const RebuildRequest& request);
  ValueId source_of(const OpRecord& op, const TensorRef& ref);
  void run_op(OpId id);
  WrittenStorages storages_to_write(const OpRecord& op);
  at::Tensor tensor_of(const OpRecord& op, const TensorRef& ref, const WrittenStorages& written);
  void restore_generator(OpId id);
  void take_results(const OpRecord& op, const WrittenStorages& written,
                    const std::vector<c10::IValue>& results);
  void place(ValueId value, c10::Storage storage);
  void release_reads(const OpRecord& op);
  c10::Storage take_from(Instance& instance);

  const OpRecords& ops_;
  const GeneratorStates& states_;
  ValueTable& values_;
  std::vector<OpId> order_;
  std::unordered_map<ValueId, Instance> instances_;
  std::unordered_set<ValueId> anew_;  // to be made although they are there
  // Reads of a value whose elements are taken from a later one of its storage.
  std::unordered_map<const TensorRef*, ValueId> moved_;
  std::function<void(ValueId, const c10::Storage&)> take_;
  PresentGenerators drawn_from_;  // they get their state back
  std::int64_t own_bytes_ = 0;
  std::int64_t peak_bytes_ = 0;
};

}  // namespace reprise::tape
