// SPDX-License-Identifier: Apache-2.0
// KeptValue: something that a region keeps from forward to backward, and why.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reprise::tape {

struct KeptValue {
  enum class Why {
    kOutside,      // not made by an op that can run again: an argument, a parameter, a captured
                   // tensor, the result of a collective
    kOverwritten,  // a copy of such a tensor, from before the region wrote it
    kPolicy,       // made in the region; a policy keeps it
    kRandomState,  // of a generator, before an op drew from it
  };

  Why why;
  std::int64_t bytes = 0;   // of its storage
  std::string tensor = {};  // "[8, 128] Float", as the region first used it; none of a state
  std::string op = {};  // that made it, drew from it or first read it; none if only autograd did
};

// A line for each: bytes, tensor, why.
std::string kept_text(const std::vector<KeptValue>& kept);

}  // namespace reprise::tape
