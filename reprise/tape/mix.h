// SPDX-License-Identifier: Apache-2.0
// One number out of a row of numbers.
#pragma once

#include <cstdint>

namespace reprise::tape {

// Of a row: `hash` of all before the number, and the number. As splitmix64 does (Steele et al.
// 2014, "Fast splittable pseudorandom number generators").
inline std::uint64_t mix(std::uint64_t hash, std::uint64_t number) {
  hash += 0x9E3779B97F4A7C15 + number;
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EB;
  return hash ^ (hash >> 31);
}

inline std::uint64_t mix_signed(std::uint64_t hash, std::int64_t number) {
  return mix(hash, static_cast<std::uint64_t>(number));
}

}  // namespace reprise::tape
