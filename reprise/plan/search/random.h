// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every platform: std's distributions are not.
#pragma once

#include <cstdint>
#include <random>

namespace reprise::plan {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // REQUIRES: count > 0. In [0, count); the bias of the remainder is below count / 2^64.
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(count));
  }
  // In [0, 1), with 53 random bits.
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace reprise::plan
