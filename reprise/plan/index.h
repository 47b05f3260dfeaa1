// SPDX-License-Identifier: Apache-2.0
// Ids are signed, positions in a vector are not.
#pragma once

#include <concepts>
#include <cstddef>

namespace reprise::plan {

// REQUIRES: id >= 0.
template <std::integral Id>
constexpr std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

}  // namespace reprise::plan
