// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace reprise::cli {

// With `decimals` digits after the point: fixed_text(2.345, 1) is "2.3".
std::string fixed_text(double number, int decimals);

// With up to 16 digits, as few as it takes: "0.5", "1234567".
std::string number_text(double number);

// In powers of 1024, with one decimal: "512 B", "1.5 KiB", "151.3 MiB".
std::string bytes_text(std::int64_t bytes);

// With thousands separated: "1,234,567".
std::string grouped_text(std::int64_t number);

// Of a ratio, signed: overhead_text(0.284) is "+28.4 %"; "-" if it is not known.
std::string overhead_text(std::optional<double> ratio);

// How much of `whole` a part is: share_text(1, 3) is "33.3 %"; "-" of nothing.
std::string share_text(std::int64_t part, std::int64_t whole);

// "850 ms", "12 s", "3 min 05 s", "2 h 10 min".
std::string duration_text(double seconds);

}  // namespace reprise::cli
