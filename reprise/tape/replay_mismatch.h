// SPDX-License-Identifier: Apache-2.0
// ReplayMismatch: a rerun did not repeat what the first run of its region did.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace reprise::tape {

// Everything known about the difference; empty or -1 where it does not apply.
struct MismatchDetails {
  std::string region = {};        // RegionOptions::name
  std::int64_t position = -1;     // which saved value, counted from 0 in the order of the first run
  std::int64_t saved_values = 0;  // how many values the first run saved
  std::string saved_op = {};      // "op 5, aten::mm": what saved this value in the first run
  std::string saved = {};         // shape, dtype and device, or hash, or count, in the first run
  std::string recomputed = {};    // the same in the rerun
  std::string first_different_op = {};
  std::vector<std::string> first_ops = {};  // both op lists, with RegionOptions::debug only
  std::vector<std::string> rerun_ops = {};
};

// Thrown from backward. If that entered the region through its results, no node of the region has
// run and no gradient of it was accumulated; if it entered by another way, nodes that unpack no
// value may have. The next step works in both cases.
class ReplayMismatch : public std::runtime_error {
 public:
  explicit ReplayMismatch(MismatchDetails details);
  const MismatchDetails& details() const { return details_; }

 private:
  MismatchDetails details_;
};

}  // namespace reprise::tape
