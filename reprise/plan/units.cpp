// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/units.h"

#include <algorithm>
#include <numeric>

namespace reprise::plan {

// Not (n + d - 1) / d, which overflows for n near the largest integer.
std::int64_t ceil_div(std::int64_t n, std::int64_t d) { return n / d + (n % d == 0 ? 0 : 1); }

std::int64_t unit_for(const std::vector<std::int64_t>& sizes, std::int64_t most_bytes,
                      std::int64_t resolution) {
  std::int64_t divisor = 0;
  for (const std::int64_t size : sizes) {
    divisor = std::gcd(divisor, size);
  }
  divisor = std::max<std::int64_t>(divisor, 1);
  // Whole divisors in most_bytes: what is over can hold nothing.
  return divisor * std::max<std::int64_t>(1, ceil_div(most_bytes / divisor, resolution));
}

}  // namespace reprise::plan
