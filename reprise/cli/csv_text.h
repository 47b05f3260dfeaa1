// SPDX-License-Identifier: Apache-2.0
// Lines of comma-separated values.
#pragma once

#include <string>
#include <vector>

namespace reprise::cli {

// "a,b\n"; a cell with a comma, a quote or a line break is quoted, as RFC 4180 says.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace reprise::cli
