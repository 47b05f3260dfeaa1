// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/amounts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "reprise/cli/errors.h"
#include "reprise/plan/shortened.h"

namespace reprise::cli {
namespace {

constexpr double kMostBytes = 1152921504606846976.0;  // 2^60

// A number and what is written behind it.
std::optional<std::pair<double, std::string>> split_number(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || !std::isfinite(number) || number < 0) {
    return std::nullopt;
  }
  return std::pair{number, std::string(stop, end)};
}

template <class Units>
std::optional<double> parse_amount(const std::string& text, const Units& units) {
  const auto parts = split_number(text);
  if (!parts) {
    return std::nullopt;
  }
  for (const auto& [name, factor] : units) {
    if (parts->second == name) {
      return parts->first * factor;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> parse_bytes(const std::string& text) {
  constexpr double binary = 1024;
  constexpr double decimal = 1000;
  static const std::array<std::pair<const char*, double>, 11> units = {{
      {"", 1},
      {"B", 1},
      {"kB", decimal},
      {"KiB", binary},
      {"MB", decimal * decimal},
      {"MiB", binary * binary},
      {"GB", decimal * decimal * decimal},
      {"GiB", binary * binary * binary},
      {"TB", decimal * decimal * decimal * decimal},
      {"TiB", binary * binary * binary * binary},
      {"KB", decimal},
  }};
  // A plain count stays exact where a double would round.
  std::int64_t whole = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, whole);
  if (error == std::errc() && stop == end && whole >= 0 &&
      static_cast<double>(whole) <= kMostBytes) {
    return whole;
  }
  const std::optional<double> bytes = parse_amount(text, units);
  if (!bytes || *bytes > kMostBytes) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*bytes);
}

std::optional<double> parse_seconds(const std::string& text) {
  static const std::array<std::pair<const char*, double>, 5> units = {
      {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"min", 60}, {"h", 3600}}};
  return parse_amount(text, units);
}

std::optional<Budget> read_budget(const std::string& text) {
  if (text == "minimum") {
    return Budget{.kind = Budget::Kind::kMinimum, .text = text};
  }
  const auto parts = split_number(text);
  if (parts && parts->second == "%") {
    return Budget{.kind = Budget::Kind::kShare, .percent = parts->first, .text = text};
  }
  const std::optional<std::int64_t> bytes = parse_bytes(text);
  if (!bytes) {
    return std::nullopt;
  }
  return Budget{.kind = Budget::Kind::kBytes, .bytes = *bytes, .text = text};
}

Budget parse_budget(const std::string& text, const std::string& option) {
  const std::optional<Budget> budget = read_budget(text);
  if (!budget) {
    throw UsageError(option +
                     ": expected bytes (123456789, 200MB, 1.5GiB), a share of the peak with "
                     "everything kept (60%) or minimum, got " +
                     in_quotes(text));
  }
  return *budget;
}

std::int64_t budget_bytes(const Budget& budget, std::int64_t keep_all_peak_bytes) {
  if (budget.kind == Budget::Kind::kBytes) {
    return budget.bytes;
  }
  // 33.3 % of 1000 is 333, whatever a double makes of 33.3.
  constexpr double rounding = 1 + 1e-12;
  const double bytes = budget.percent * static_cast<double>(keep_all_peak_bytes) / 100 * rounding;
  return static_cast<std::int64_t>(std::min(bytes, kMostBytes));
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t first = 0;
  for (std::size_t comma = text.find(','); comma != std::string::npos;
       comma = text.find(',', first)) {
    parts.push_back(text.substr(first, comma - first));
    first = comma + 1;
  }
  parts.push_back(text.substr(first));
  return parts;
}

}  // namespace reprise::cli
