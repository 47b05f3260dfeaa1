// SPDX-License-Identifier: Apache-2.0
// How wide text may be.
#pragma once

#include <cstdint>

namespace reprise::cli {

// Columns of the terminal behind a file descriptor, less one: a full last column would wrap in some
// terminals. 120 if it is none.
std::int64_t terminal_width(int descriptor);

}  // namespace reprise::cli
