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

constexpr double kMostBytes = 0x1p60;

constexpr std::array<std::pair<const char*, double>, 15> kUnits = {{
    {"", 1},
    {"B", 1},
    {"kB", 1e3},
    {"KiB", 0x1p10},
    {"MB", 1e6},
    {"MiB", 0x1p20},
    {"GB", 1e9},
    {"GiB", 0x1p30},
    {"TB", 1e12},
    {"TiB", 0x1p40},
    {"PB", 1e15},
    {"PiB", 0x1p50},
    {"EB", 1e18},
    {"EiB", 0x1p60},
    {"KB", 1e3},
}};

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

bool is_in_range(const Budget& budget) {
  switch (budget.kind) {
    case Budget::Kind::kBytes:
      return budget.bytes > 0;
    case Budget::Kind::kShare:
      return budget.percent > 0 && budget.percent <= 100;
    case Budget::Kind::kMinimum:
      return true;
  }
  return false;
}

// Of any size.
std::optional<Budget> read_any_budget(const std::string& text) {
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

}  // namespace

std::optional<std::int64_t> parse_bytes(const std::string& text) {
  // A plain count stays exact where a double would round.
  std::int64_t whole = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, whole);
  if (error == std::errc() && stop == end && whole >= 0 &&
      static_cast<double>(whole) <= kMostBytes) {
    return whole;
  }
  const std::optional<double> bytes = parse_amount(text, kUnits);
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
  const std::optional<Budget> budget = read_any_budget(text);
  return budget && is_in_range(*budget) ? budget : std::nullopt;
}

void require_countable(const std::string& text, const std::string& option) {
  const std::optional<double> bytes = parse_amount(text, kUnits);
  if (bytes && *bytes > kMostBytes) {
    throw UsageError(option + ": expected at most 2^60 bytes (1EiB), got " + in_quotes(text) +
                     ", which is too large");
  }
}

Budget parse_budget(const std::string& text, const std::string& option) {
  require_countable(text, option);
  const std::optional<Budget> budget = read_any_budget(text);
  if (budget && !is_in_range(*budget)) {
    throw UsageError(option + ": expected bytes above 0, a share in (0%, 100%] or minimum, got " +
                     in_quotes(text));
  }
  if (!budget) {
    throw UsageError(option +
                     ": expected bytes (123456789, 200MB, 1.5GiB), a share of the peak with "
                     "everything kept (60%) or minimum, got " +
                     in_quotes(text));
  }
  return *budget;
}

double parse_overhead(const std::string& text, const std::string& option) {
  const auto parts = split_number(text);
  if (!parts || parts->second != "%") {
    throw UsageError(option + ": expected a share of a plain step's time (10%), got " +
                     in_quotes(text));
  }
  return parts->first / 100;
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
