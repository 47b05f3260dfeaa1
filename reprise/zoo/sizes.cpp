// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/sizes.h"

#include <sstream>

#include "reprise/plan/argument_error.h"

namespace reprise::zoo {

void check_positive(const char* place, const char* what, std::int64_t value) {
  if (value < 1) {
    throw ArgumentError(place, what, "positive", std::to_string(value));
  }
}

std::string short_text(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

}  // namespace reprise::zoo
