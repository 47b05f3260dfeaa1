// SPDX-License-Identifier: Apache-2.0
// How far apart floating-point numbers are, counted in representable numbers: 0 if and only if
// every bit agrees. -0 and +0 are 1 apart; a NaN lies beyond infinity, at a distance that its bits
// make.
#pragma once

#include <cstddef>
#include <cstdint>

namespace reprise::cli {

// The largest distance between left[i] and right[i]: IEEE numbers of 2, 4 or 8 bytes (bfloat16
// too), `count` of them. Throws std::invalid_argument for another size.
std::uint64_t largest_ulp_difference(const void* left, const void* right, std::size_t count,
                                     std::size_t bytes_each);

}  // namespace reprise::cli
