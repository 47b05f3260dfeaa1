// SPDX-License-Identifier: Apache-2.0
// Ruin and recreate: takes a part of a schedule away, repairs it with the shaver, keeps what is
// cheaper, and now and then what is a little dearer (Schrimpf et al. 2000).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"
#include "reprise/plan/search/random.h"

namespace reprise::plan {

struct RuinOptions {
  std::int64_t budget_bytes = 0;
  std::int64_t iterations = 0;
  // Edits of the schedule, and half as much for each candidate of the shaver: an end as
  // reproducible as one by iterations; an iteration of a tight budget takes many times one of a
  // wide budget.
  std::int64_t work = std::numeric_limits<std::int64_t>::max();
  // lower_peak() stops at a peak of at most so much, though it shaves towards the budget.
  std::int64_t enough_bytes = 0;
  double start_temperature = 0.01;  // of the cost; falls linearly to 0
  // Asked now and then within an iteration; false ends it early, as it stands.
  std::function<bool()> go_on_within = {};
};

// The cheapest schedule within the budget found from `start`. `go_on()` is asked before each
// iteration; false stops. REQUIRES: `start` fits the budget.
Schedule ruin_and_recreate(const Program& program, const Schedule& start,
                           const RuinOptions& options, Random& random,
                           const std::function<bool()>& go_on);

// Searches for a schedule that fits instead: the one with the lowest peak found from `start`, at
// the lowest cost that comes with it; stops at the first that fits or is low enough. Each iteration
// ruins around the peak and shaves a little below it.
Schedule lower_peak(const Program& program, const Schedule& start, const RuinOptions& options,
                    Random& random, const std::function<bool()>& go_on);

}  // namespace reprise::plan
