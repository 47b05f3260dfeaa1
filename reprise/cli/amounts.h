// SPDX-License-Identifier: Apache-2.0
// Amounts as people write them: bytes and durations with a unit, shares of a peak.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reprise::cli {

// "123456789", "1.5GiB", "200MB": whole bytes, rounded down; units of 1000 (kB, MB, GB, TB, PB,
// EB) and of 1024 (KiB, MiB, GiB, TiB, PiB, EiB). Nothing if `text` is no such amount, negative, or
// above 2^60.
std::optional<std::int64_t> parse_bytes(const std::string& text);

// "10s", "500ms", "2min"; a bare number is seconds. Nothing if `text` is no such amount or
// negative.
std::optional<double> parse_seconds(const std::string& text);

// A budget before the program is known.
struct Budget {
  enum class Kind { kBytes, kShare, kMinimum };
  Kind kind = Kind::kBytes;
  std::int64_t bytes = 0;  // of kBytes
  double percent = 0;      // of kShare: of the peak with everything kept
  std::string text = {};   // as it was written
};

// "60%", "minimum", or what parse_bytes() takes; nothing if `text` is no budget, or one that is
// nothing or more than there is: bytes above 0, shares in (0%, 100%].
std::optional<Budget> read_budget(const std::string& text);
// Throws UsageError that begins with `option` if `text` is an amount of bytes above 2^60.
void require_countable(const std::string& text, const std::string& option);
// The budget; throws UsageError that begins with `option` if it is none.
Budget parse_budget(const std::string& text, const std::string& option);

// "10%", of a plain step's time, as a ratio: 0.1. Throws UsageError that begins with `option` if it
// is no such share.
double parse_overhead(const std::string& text, const std::string& option);

// In bytes; a share is rounded down. REQUIRES: not kMinimum.
std::int64_t budget_bytes(const Budget& budget, std::int64_t keep_all_peak_bytes);

// The parts between the commas.
std::vector<std::string> split_list(const std::string& text);

}  // namespace reprise::cli
