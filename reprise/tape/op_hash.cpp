// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/op_hash.h"

#include <functional>

namespace reprise::tape {

// As splitmix64 does (Steele et al. 2014, "Fast splittable pseudorandom number generators").
std::uint64_t mix(std::uint64_t hash, std::uint64_t number) {
  hash += 0x9E3779B97F4A7C15 + number;
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EB;
  return hash ^ (hash >> 31);
}

namespace {

std::uint64_t mix_signed(std::uint64_t hash, std::int64_t number) {
  return mix(hash, static_cast<std::uint64_t>(number));
}

}  // namespace

std::uint64_t digest_of(const TensorRef& ref) {
  std::uint64_t hash = mix_signed(0, ref.value);
  if (ref.value == kNoValue) {
    return hash;
  }
  hash = mix_signed(hash, ref.view.offset);
  hash = mix(hash, ref.view.keys.raw_repr());
  hash = mix(hash, ref.view.dtype.itemsize());
  for (std::size_t i = 0; i < ref.view.sizes.size(); ++i) {
    hash = mix_signed(hash, ref.view.sizes[i]);
    hash = mix_signed(hash, ref.view.strides[i]);
  }
  return hash;
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
