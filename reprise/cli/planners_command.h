// SPDX-License-Identifier: Apache-2.0
// `reprise planners`: which planners there are, and their options.
#pragma once

#include <string>

namespace reprise::cli {

// Written out of the table of planners.
std::string planners_text();

}  // namespace reprise::cli
