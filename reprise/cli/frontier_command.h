// SPDX-License-Identifier: Apache-2.0
// `reprise compare`: what each planner makes of the same budgets.
#pragma once

#include <iosfwd>

#include "reprise/cli/option_table.h"

namespace reprise::cli {

// Writes the table to `out`, progress to `err`, JSON and CSV where they are asked for. Throws
// UsageError, FormatError or FileError; Interrupted, with what was found until then written, if it
// was stopped.
void run_compare(const OptionValues& values, std::ostream& out, std::ostream& err);

}  // namespace reprise::cli
