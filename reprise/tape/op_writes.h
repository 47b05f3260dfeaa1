// SPDX-License-Identifier: Apache-2.0
// The tensors that an op is about to write.
#pragma once

#include <cstddef>
#include <vector>

#include <ATen/core/Tensor.h>

#include "reprise/tape/op_effects.h"
#include "reprise/tape/op_record.h"

namespace reprise::tape {

struct WrittenTensor {
  at::Tensor tensor;
  const c10::StorageImpl* storage = nullptr;  // that it looks at before the op
  ValueId before = kNoValue;
  std::size_t index = 0;  // of the argument
  std::size_t element = 0;
  bool reads_before = true;
  bool is_statistics = false;  // a replay leaves them alone
};

// What a call writes, as schemas and the arguments tell. Statistics are no longer among the tensors
// of the record afterwards.
std::vector<WrittenTensor> find_writes(OpArguments arguments, OpRecord& record);

// Whether the argument of a call that repeats the one of `record` is of statistics, which the
// record leaves out.
bool is_left_out(const OpRecord& record, OpArguments arguments, std::size_t index);

// The tensor of a call that repeats the one which `write` is of.
WrittenTensor written_again(OpArguments arguments, const Write& write);
// Statistics at `index`, of which the storage holds `before`.
WrittenTensor statistics_again(OpArguments arguments, std::size_t index, ValueId before);

}  // namespace reprise::tape
