// SPDX-License-Identifier: Apache-2.0
// How much a test goes through. A build that is not optimised, as with sanitizers, takes ten times
// as long and goes through a tenth. NDEBUG would not tell: `dev` optimises and keeps assertions.
#pragma once

namespace reprise::plan {

#ifdef __OPTIMIZE__
inline constexpr bool kIsOptimised = true;
#else
inline constexpr bool kIsOptimised = false;
#endif

constexpr unsigned programs(unsigned count) { return kIsOptimised ? count : count / 10; }

}  // namespace reprise::plan
