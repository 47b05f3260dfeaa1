// SPDX-License-Identifier: Apache-2.0
// `reprise train`: trains under one policy, or compares several.
#pragma once

#include <iosfwd>

#include "reprise/cli/option_table.h"

namespace reprise::cli {

// Results go to `out` (see ReportOutput), progress to `err`. Throws as errors.h says: CheckError if
// a compared policy was not bit-equal, Interrupted after Ctrl-C, what was asked for being saved.
void run_train(const OptionValues& given, std::ostream& out, std::ostream& err);

}  // namespace reprise::cli
