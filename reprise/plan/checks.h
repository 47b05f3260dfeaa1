// SPDX-License-Identifier: Apache-2.0
// Checks of arguments, with one wording: "place: expectation, got value".
#pragma once

#include <cstdint>
#include <string_view>

namespace reprise::plan {

// Throw ArgumentError("place: name must be at least minimum, got value") and the like.
void require_at_least(std::string_view place, std::string_view name, std::int64_t value,
                      std::int64_t minimum);
void require_at_most(std::string_view place, std::string_view name, std::int64_t value,
                     std::int64_t maximum);
void require_multiple(std::string_view place, std::string_view name, std::int64_t value,
                      std::string_view divisor_name, std::int64_t divisor);
// The same of a width that attention heads share; the remark says how many heads would do.
// REQUIRES: both are positive. O(heads).
void require_multiple_of_heads(std::string_view place, std::string_view name, std::int64_t width,
                               std::int64_t heads);

// Throws ArgumentError("place: sizes must be small enough for at most MOST_TEXT, got amount").
void require_small_sizes(std::string_view place, double amount, double most,
                         std::string_view most_text);

}  // namespace reprise::plan
