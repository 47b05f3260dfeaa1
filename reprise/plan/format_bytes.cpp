// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/format_bytes.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>

namespace reprise {

std::string format_bytes(std::int64_t bytes, int decimals) {
  constexpr std::array<const char*, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  const double rounds_up = 1024 - 0.5 * std::pow(10.0, -decimals);  // would be printed as 1024
  auto count = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (std::abs(count) >= (unit == 0 ? 1024 : rounds_up)) {
    count /= 1024;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f %s", unit == 0 ? 0 : decimals, count,
                units.at(unit));
  return text.data();
}

}  // namespace reprise
