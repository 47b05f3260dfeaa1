// SPDX-License-Identifier: Apache-2.0
// How many random programs a test goes through: a tenth of `count` where the build is not
// optimised, as with sanitizers, because each takes ten times as long there.
#pragma once

namespace reprise::plan {

#ifdef NDEBUG
inline constexpr bool kIsOptimised = true;
#else
inline constexpr bool kIsOptimised = false;
#endif

constexpr unsigned programs(unsigned count) { return kIsOptimised ? count : count / 10; }

}  // namespace reprise::plan
