// SPDX-License-Identifier: Apache-2.0
// `reprise simulate`: what a schedule costs, and what makes its peak.
#pragma once

#include <iosfwd>

#include "reprise/cli/option_table.h"

namespace reprise::cli {

// Writes the verdict to `out` and JSON and CSV where they are asked for. Throws FormatError or
// FileError.
void run_simulate(const OptionValues& values, std::ostream& out, std::ostream& err);

}  // namespace reprise::cli
