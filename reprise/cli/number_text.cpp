// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/number_text.h"

#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>

#include "reprise/plan/format_bytes.h"

namespace reprise::cli {
namespace {

std::string two_digits(std::int64_t number) {
  return (number < 10 ? "0" : "") + std::to_string(number);
}

}  // namespace

std::string fixed_text(double number, int decimals) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(decimals) << number;
  return out.str();
}

std::string number_text(double number) {
  std::ostringstream out;
  out.precision(std::numeric_limits<double>::max_digits10 - 1);
  out << number;
  return out.str();
}

std::string bytes_text(std::int64_t bytes) { return format_bytes(bytes, 1); }

std::string grouped_text(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3; at -= 3) {
    text.insert(at - 3, ",");
  }
  return text;
}

std::string overhead_text(std::optional<double> ratio) {
  if (!ratio) {
    return "-";
  }
  const std::string digits = fixed_text(100 * *ratio, 1);
  return (digits.front() == '-' ? "" : "+") + digits + " %";
}

std::string share_text(std::int64_t part, std::int64_t whole) {
  return whole <= 0
             ? "-"
             : fixed_text(100 * static_cast<double>(part) / static_cast<double>(whole), 1) + " %";
}

std::string duration_text(double seconds) {
  if (seconds < 1) {
    return fixed_text(1000 * seconds, 0) + " ms";
  }
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) {
    return std::to_string(whole) + " s";
  }
  if (whole < 3600) {
    return std::to_string(whole / 60) + " min " + two_digits(whole % 60) + " s";
  }
  return std::to_string(whole / 3600) + " h " + two_digits(whole % 3600 / 60) + " min";
}

}  // namespace reprise::cli
