// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/ulp_difference.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

namespace reprise::cli {
namespace {

// Sign and magnitude become a number that ascends as the floating-point number does.
template <class Bits>
Bits place(Bits bits) {
  constexpr auto sign = static_cast<Bits>(Bits{1} << (std::numeric_limits<Bits>::digits - 1));
  return static_cast<Bits>((bits & sign) != 0 ? ~bits : (bits | sign));
}

template <class Bits>
std::uint64_t largest(const void* left, const void* right, std::size_t count) {
  const auto place_at = [](const void* numbers, std::size_t i) {
    Bits bits = 0;
    std::memcpy(&bits, static_cast<const char*>(numbers) + i * sizeof(Bits), sizeof(Bits));
    return place(bits);
  };
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto [low, high] = std::minmax({place_at(left, i), place_at(right, i)});
    most = std::max<std::uint64_t>(most, static_cast<std::uint64_t>(high - low));
  }
  return most;
}

}  // namespace

std::uint64_t largest_ulp_difference(const void* left, const void* right, std::size_t count,
                                     std::size_t bytes_each) {
  switch (bytes_each) {
    case sizeof(std::uint16_t):
      return largest<std::uint16_t>(left, right, count);
    case sizeof(std::uint32_t):
      return largest<std::uint32_t>(left, right, count);
    case sizeof(std::uint64_t):
      return largest<std::uint64_t>(left, right, count);
    default:
      throw std::invalid_argument("largest_ulp_difference: bytes_each must be 2, 4 or 8, got " +
                                  std::to_string(bytes_each));
  }
}

}  // namespace reprise::cli
