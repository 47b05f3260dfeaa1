// SPDX-License-Identifier: Apache-2.0
// Whether an op that is about to run is the one that an earlier tape has in this place. Then its
// record serves again, and nothing is built.
#pragma once

#include <memory>
#include <vector>

#include "reprise/tape/op_record.h"
#include "reprise/tape/value_table.h"

namespace reprise::tape {

// Of a tape. Shared by the tapes that repeat them.
using OpRecords = std::vector<std::shared_ptr<const OpRecord>>;

// What a run probably repeats: the ops of an earlier one, and what autograd saved of them.
struct ExpectedRun {
  OpRecords ops;
  std::vector<TensorRef> saved;
};

// Looks tensors up in `values` as record_call() does, so that a call that differs is recorded with
// the same values.
bool is_repeated(const OpRecord& record, const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                 OpArguments arguments, ValueTable& values);
// The same of a tensor that autograd saves.
bool is_repeated(const TensorRef& ref, const at::Tensor& tensor, ValueTable& values);

}  // namespace reprise::tape
