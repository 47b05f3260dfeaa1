// SPDX-License-Identifier: Apache-2.0
// The places of a schedule that are above a budget, and how many of them lie between two others.
#pragma once

#include <cstdint>
#include <vector>

#include "reprise/plan/search/max_tree.h"

namespace reprise::plan {

class OverBudget {
 public:
  using Place = std::int32_t;

  // Finds the places of `bytes` above `limit`. O(found * log places + the reach of what is found).
  void find(const MaxTree& bytes, std::int64_t limit);

  const std::vector<Place>& places() const { return places_; }  // ascending
  // Of all of them what they are above the limit; the sum of many may exceed an integer.
  double excess_bytes() const { return excess_bytes_; }

  struct Between {
    std::int64_t count = 0;
    Place reference = 0;  // the peak if it is among them, else the middle one
  };
  // Those after `after` and before `before`. O(1). REQUIRES: `after` >= -1; at least one was found.
  Between between(Place after, Place before) const;

 private:
  // How many lie before `place`.
  std::int64_t count_before(Place place) const;

  std::vector<Place> places_;
  double excess_bytes_ = 0;
  Place peak_ = 0;
  std::vector<std::int32_t> counts_;  // per place from the first to the last: how many lie before
};

}  // namespace reprise::plan
