// SPDX-License-Identifier: Apache-2.0
// What to keep at one use of backward and what to recompute after it, at a price per byte: a
// minimum cut.
//
// At the place of a use, every value that it or a later use needs is alive or is made again later.
// Paying a recipe's cost once for "made again" and `us_per_byte` for every byte alive, the cheapest
// choice is a minimum cut: a value that is wanted (by a use, or by a recipe that runs) is kept or
// its recipe runs. It leaves out order, transient bytes and second runs, so its value minus the
// price of the bytes that the budget leaves is a lower bound on the recompute time of *every*
// schedule (Lagrangian relaxation of one place's budget), and its choice is a seed for a schedule.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "reprise/plan/program.h"
#include "reprise/plan/search/max_flow.h"

namespace reprise::plan {

class KeepCut {
 public:
  // REQUIRES: 0 <= use < uses; `program` has no fault and outlives this.
  KeepCut(const Program& program, int use);

  // Bytes at the use that no choice can avoid: its background and what it needs itself.
  std::int64_t fixed_bytes() const { return fixed_bytes_; }
  // A price at which a byte costs more than all recipes together: the least that can be kept.
  double dearest_price() const { return dearest_price_; }

  struct Choice {
    double us_per_byte = 0;
    double cost_us = 0;           // of the recipes that run again
    std::int64_t kept_bytes = 0;  // alive at the use, without fixed_bytes()
    // No choice has a cost_us + us_per_byte * kept_bytes below this: the flow (weak duality).
    double least_us = 0;
  };
  // The cheapest choice at a price, up to the rounding of MaxFlow::maximise(). Prices that ascend
  // from call to call reuse the flow.
  Choice choose(double us_per_byte);
  // Of the last choose(): whether a recipe runs again.
  bool runs(int recipe) const;

 private:
  const Program& program_;
  std::int64_t fixed_bytes_ = 0;
  double dearest_price_ = 1;
  MaxFlow flow_;
  std::vector<MaxFlow::Edge> value_edges_;  // per value: cut if it is kept; -1: not in the network
  double last_price_ = -1;
};

// The largest lower bound on recompute time that a cut gives for a budget, and its price per byte:
// about what one byte less would cost. Infinite if the use does not fit the budget.
struct PricedBound {
  double us = 0;
  double us_per_byte = 0;
};
// `go_on()` is asked before each price; false stops with the largest bound so far.
PricedBound bound_at(KeepCut& cut, std::int64_t budget_bytes,
                     const std::function<bool()>& go_on = {});

}  // namespace reprise::plan
