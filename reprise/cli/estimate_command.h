// SPDX-License-Identifier: Apache-2.0
// `reprise estimate`: what a transformer will take in memory, before anything runs.
#pragma once

#include <iosfwd>

#include "reprise/cli/option_table.h"

namespace reprise::cli {

// Writes the table to `out` and JSON where --json asks for it (see ReportOutput). Throws
// std::invalid_argument if the sizes do not fit together.
void run_estimate(OptionValues values, std::ostream& out, std::ostream& err);

}  // namespace reprise::cli
