// SPDX-License-Identifier: Apache-2.0
// `reprise verify`: trains under a budget and plainly, from the same seed, and compares all that
// training leaves: gradients of the last step, parameters, buffers, and the generator's state.
#pragma once

#include <iosfwd>

#include "reprise/cli/option_table.h"

namespace reprise::cli {

// The differences go to `out`, progress to `err`. Throws as errors.h says: CheckError if any bit
// differs, or if no pass followed a plan, so that nothing was verified.
void run_verify(const OptionValues& values, std::ostream& out, std::ostream& err);

}  // namespace reprise::cli
