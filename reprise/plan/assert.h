// SPDX-License-Identifier: Apache-2.0
// The check of our own promises. Never reachable by what a user passes in: that throws.
#pragma once

#include <cstdio>
#include <cstdlib>

// Aborts with the place and `what`, which says what is broken, unless `condition` holds.
#define REPRISE_ASSERT(condition, what)                                                 \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      std::fprintf(stderr, "%s:%d: reprise is broken: %s\n", __FILE__, __LINE__, what); \
      std::abort();                                                                     \
    }                                                                                   \
  } while (false)
