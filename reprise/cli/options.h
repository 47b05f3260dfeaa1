// SPDX-License-Identifier: Apache-2.0
// The commands of `reprise` and every option of theirs.
#pragma once

#include "reprise/cli/option_table.h"

namespace reprise::cli {

const CommandTable& command_table();

}  // namespace reprise::cli
