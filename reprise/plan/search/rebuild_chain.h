// SPDX-License-Identifier: Apache-2.0
// What has to run again so that a value is there at some place: its recipe and, before it, the
// recipes of inputs that are no longer alive.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "reprise/plan/search/editable_schedule.h"

namespace reprise::plan {

class RebuildChain {
 public:
  using Place = EditableSchedule::Place;

  explicit RebuildChain(const EditableSchedule& edited);

  // Beyond them a chain is of no use: it is given up as soon as it is seen to be longer, dearer or
  // to keep more alive.
  struct Limits {
    std::size_t recipes = 400;
    double cost_us = std::numeric_limits<double>::infinity();
    std::int64_t extended_bytes = std::numeric_limits<std::int64_t>::max();
  };
  enum class Answer { kBuilt, kTooDear, kUseless };  // useless: too long, or keeps too much

  // The chain that rebuilds `value` just before `place`. An input that died before `reference` (the
  // place to be relieved) is kept longer if it has at most `input_fraction` of the bytes of `value`
  // or no recipe that may run again, and rebuilt as well otherwise. One that died later is kept
  // longer. If it is too dear, cost_us() is a part of its cost that is above the limit.
  // REQUIRES: the value has a replayable recipe.
  Answer build(int value, Place place, Place reference, double input_fraction,
               const Limits& limits);

  const std::vector<int>& recipes() const { return recipes_; }  // in the order to run
  double cost_us() const { return cost_us_; }
  // Bytes of inputs that it keeps alive over `reference` and that were not before.
  std::int64_t extended_bytes() const { return extended_bytes_; }

 private:
  Answer add(int recipe);

  const EditableSchedule& edited_;
  std::vector<std::int64_t> seen_recipe_;  // per recipe: the build() that added it
  std::vector<std::int64_t> seen_value_;   // per value: the build() that extended it
  std::int64_t build_ = 0;
  Place place_ = 0;
  Place reference_ = 0;
  std::int64_t small_bytes_ = 0;
  Limits limits_;
  std::vector<int> recipes_;
  std::size_t open_recipes_ = 0;  // entered and not yet in recipes_
  double cost_us_ = 0;
  std::int64_t extended_bytes_ = 0;
};

}  // namespace reprise::plan
