// SPDX-License-Identifier: Apache-2.0
// Sizes for people.
#pragma once

#include <cstdint>
#include <string>

namespace reprise {

// "512 B", "1.50 GiB", "-2.00 KiB", in the largest unit of which there is one; `decimals` digits
// after the point where the unit is not the byte. REQUIRES: 0 <= decimals <= 6.
std::string format_bytes(std::int64_t bytes, int decimals = 2);

}  // namespace reprise
