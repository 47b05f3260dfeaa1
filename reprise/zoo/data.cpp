// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/data.h"

#include <ATen/CPUGeneratorImpl.h>

namespace reprise::zoo {
namespace {

// One step of SplitMix64 (Steele, Lea, Flood 2014): every bit of the result depends on every bit.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}

}  // namespace

std::uint64_t batch_seed(std::uint64_t seed, Split split, std::int64_t index) {
  const std::uint64_t stream = split == Split::kTrain ? 0 : 1;
  return mix(mix(mix(seed) + stream) + static_cast<std::uint64_t>(index));
}

at::Generator batch_generator(std::uint64_t seed, Split split, std::int64_t index) {
  return at::make_generator<at::CPUGeneratorImpl>(batch_seed(seed, split, index));
}

}  // namespace reprise::zoo
