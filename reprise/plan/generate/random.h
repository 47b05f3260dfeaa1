// SPDX-License-Identifier: Apache-2.0
// Random programs with everything that a recorded one may have, for tests and experiments.
#pragma once

#include <cstdint>

#include "reprise/plan/program.h"

namespace reprise::plan {

struct RandomSizes {
  std::int64_t ops = 20;
  std::uint64_t seed = 1;
  std::int64_t most_bytes = 1 << 20;  // of one value; half of the values have less than its root
};

// Ops with several results, in-place ops, random ones, some that must not run again, values that
// user code holds, values that nothing can rebuild, scratch space, skips of any length. Equal
// arguments give equal programs on every machine. Throws std::invalid_argument unless ops >= 1 and
// most_bytes >= 1, or if the program is too large to be valid. O(ops).
Program generate_random(const RandomSizes& sizes);

}  // namespace reprise::plan
