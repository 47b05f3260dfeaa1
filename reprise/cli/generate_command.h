// SPDX-License-Identifier: Apache-2.0
// `reprise generate`: programs of any size, to plan for without a model.
#pragma once

#include <iosfwd>

#include "reprise/cli/option_table.h"

namespace reprise::cli {

// Writes the program to --out, a summary to the other stream of the two. Throws UsageError for a
// size that the kind of program does not have, std::invalid_argument if sizes do not fit together.
void run_generate(const OptionValues& values, std::ostream& out, std::ostream& err);

}  // namespace reprise::cli
