// SPDX-License-Identifier: Apache-2.0
// The unit in which tables over bytes count.
#pragma once

#include <cstdint>
#include <vector>

namespace reprise::plan {

// n / d, rounded up. REQUIRES: n >= 0, d > 0. Does not overflow.
std::int64_t ceil_div(std::int64_t n, std::int64_t d);

// The smallest multiple of the sizes' greatest common divisor of which `most_bytes` holds at most
// `resolution`: if it is the divisor itself, counting in it rounds no size.
// REQUIRES: nothing is negative and resolution >= 1.
std::int64_t unit_for(const std::vector<std::int64_t>& sizes, std::int64_t most_bytes,
                      std::int64_t resolution);

}  // namespace reprise::plan
