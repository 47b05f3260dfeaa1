// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/op_writes.h"

#include <algorithm>

namespace reprise::tape {
namespace {

std::int64_t mentions_of(ValueId value, const OpRecord& record) {
  std::int64_t mentions = 0;
  for (const TensorArgument& argument : record.tensors) {
    mentions += std::count_if(argument.refs.begin(), argument.refs.end(),
                              [value](const TensorRef& ref) { return ref.value == value; });
  }
  return mentions;
}

const at::Tensor& tensor_in(const c10::IValue& argument, std::size_t element) {
  return argument.isTensor() ? argument.toTensor() : argument.toListRef()[element].toTensor();
}

}  // namespace

std::vector<WrittenTensor> find_writes(OpArguments arguments, OpRecord& record) {
  std::vector<WrittenTensor> written;
  for (auto* argument = record.tensors.begin(); argument != record.tensors.end();) {
    const std::size_t index = argument->index;
    if (!writes_argument(record.op, arguments, index)) {
      ++argument;
      continue;
    }
    const bool is_statistics = is_statistics_only(record.op, arguments, index);
    const bool overwrites = overwrites_argument(record.op, index);
    for (std::size_t element = 0; element < argument->refs.size(); ++element) {
      const TensorRef& ref = argument->refs[element];
      if (ref.value == kNoValue) {
        continue;
      }
      const at::Tensor& tensor = tensor_in(arguments[index], element);
      if (has_dense_storage(tensor)) {
        const c10::StorageImpl* const storage = tensor.storage().unsafeGetStorageImpl();
        const bool fills = overwrites && ref.view->covers(*storage);
        written.push_back({.tensor = tensor,
                           .storage = storage,
                           .before = ref.value,
                           .index = index,
                           .element = element,
                           .reads_before = !fills && !is_statistics,
                           .is_statistics = is_statistics});
      }
    }
    // A replay does not update them again.
    argument = is_statistics ? record.tensors.erase(argument) : argument + 1;
  }
  for (WrittenTensor& each : written) {
    // What is filled is not read, unless it is also given as something else.
    each.reads_before =
        !each.is_statistics && (each.reads_before || mentions_of(each.before, record) > 1);
  }
  return written;
}

WrittenTensor written_again(OpArguments arguments, const Write& write) {
  const at::Tensor& tensor = tensor_in(arguments[write.index], write.element);
  return {.tensor = tensor,
          .storage = tensor.storage().unsafeGetStorageImpl(),
          .before = write.before,
          .index = write.index,
          .element = write.element,
          .reads_before = write.reads_before};
}

bool is_left_out(const OpRecord& record, OpArguments arguments, std::size_t index) {
  return record.arguments[index].isNone() && arguments[index].isTensor() &&
         arguments[index].toTensor().defined() && is_statistics_only(record.op, arguments, index);
}

WrittenTensor statistics_again(OpArguments arguments, std::size_t index, ValueId before) {
  WrittenTensor written =
      written_again(arguments, {.index = index, .before = before, .reads_before = false});
  written.is_statistics = true;
  return written;
}

}  // namespace reprise::tape
