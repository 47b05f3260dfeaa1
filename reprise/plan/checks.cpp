// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/checks.h"

#include <algorithm>
#include <sstream>
#include <string>

#include "reprise/plan/argument_error.h"

namespace reprise::plan {
namespace {

[[noreturn]] void fail(std::string_view place, std::string_view name,
                       const std::string& expectation, std::int64_t value) {
  throw ArgumentError(place, name, expectation, std::to_string(value));
}

}  // namespace

void require_at_least(std::string_view place, std::string_view name, std::int64_t value,
                      std::int64_t minimum) {
  if (value < minimum) {
    fail(place, name, "at least " + std::to_string(minimum), value);
  }
}

void require_at_most(std::string_view place, std::string_view name, std::int64_t value,
                     std::int64_t maximum) {
  if (value > maximum) {
    fail(place, name, "at most " + std::to_string(maximum), value);
  }
}

void require_multiple(std::string_view place, std::string_view name, std::int64_t value,
                      std::string_view divisor_name, std::int64_t divisor) {
  if (value % divisor != 0) {
    fail(place, name,
         "a multiple of " + std::string(divisor_name) + " (" + std::to_string(divisor) + ")",
         value);
  }
}

void require_multiple_of_heads(std::string_view place, std::string_view name, std::int64_t width,
                               std::int64_t heads) {
  if (width % heads == 0) {
    return;
  }
  std::int64_t fitting = std::min(width, heads);
  while (width % fitting != 0) {
    --fitting;
  }
  throw ArgumentError(place, name, "a multiple of heads (" + std::to_string(heads) + ")",
                      std::to_string(width),
                      std::to_string(fitting) + (fitting == 1 ? " head" : " heads") + " would do");
}

void require_small_sizes(std::string_view place, double amount, double most,
                         std::string_view most_text) {
  if (amount > most) {
    std::ostringstream got;
    got << amount;
    throw ArgumentError(place, "sizes", std::string("small enough for at most ").append(most_text),
                        got.str());
  }
}

}  // namespace reprise::plan
