// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/op_hash.h"

#include <functional>

#include "reprise/tape/mix.h"

namespace reprise::tape {

std::uint64_t digest_of(const TensorRef& ref) {
  const std::uint64_t hash = mix_signed(0, ref.value);
  return ref.value == kNoValue ? hash : mix(hash, ref.view->digest);
}

std::uint64_t digest_of(const OpRecord& op) {
  std::uint64_t hash = mix(0, std::hash<c10::OperatorHandle>{}(op.op));
  for (const TensorArgument& argument : op.tensors) {
    hash = mix(hash, argument.index);
    for (const TensorRef& ref : argument.refs) {
      hash = mix(hash, digest_of(ref));
    }
  }
  for (const Write& write : op.written) {
    hash = mix_signed(hash, write.after);
  }
  for (const MadeResult& made : op.results) {
    hash = mix_signed(hash, made.value);
  }
  return mix(hash, op.grad_mode ? 1 : 0);
}

}  // namespace reprise::tape
