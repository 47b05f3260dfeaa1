// SPDX-License-Identifier: Apache-2.0
// Checks and texts that the models' sizes share.
#pragma once

#include <cstdint>
#include <string>

namespace reprise::zoo {

// Throws ArgumentError("<place>: <what> must be positive, got <value>").
void check_positive(const char* place, const char* what, std::int64_t value);

// Few digits, no trailing zeros: "0.1", "0".
std::string short_text(double value);

}  // namespace reprise::zoo
