// SPDX-License-Identifier: Apache-2.0
// An exhaustive search over the schedules of a small problem that walks the step *backwards* in
// time.
//
// Then nothing has to be guessed about what to free. A state is the set of values that something
// later still reads ("wanted"), and a slot costs the bytes of what is wanted there. A use adds what
// it needs; a replay takes its outputs off the set and adds its inputs; what is still wanted when
// the first slot of backward is reached, forward has to keep. Every schedule is such a walk and
// every walk is a schedule, so the best walk is the optimum in simulate()'s own terms: any order of
// replays before a use, any number of times, several outputs, transient bytes, three background
// values, values that nothing can rebuild.
//
// A value that user code holds is free as long as no replay has made a new instance of it. Read
// backwards that is a promise: a wanted held value is either "the one that is held", and then no
// earlier replay may make it, or "one that a replay makes", and is charged. Both are tried.
//
// A state whose sets are subsets of those of another one that was not reached for less is at least
// as good, so the other one is dropped (dominance): whatever comes before it in time costs the
// smaller sets no more bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "reprise/plan/exact/small_problem.h"
#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"

namespace reprise::plan {

enum class WalkGoal {
  kLeastTime,  // of the walks within `most_bytes` one with the least recompute time
  kLeastPeak,  // one with the lowest peak, whatever it costs
};

struct WalkLimits {
  std::int64_t most_bytes = 0;         // no slot may have more
  double most_us = 0;                  // no walk may recompute for more
  std::size_t most_nodes = 4'000'000;  // kept at once; with the tables beside them half a gigabyte
  // Asked every few thousand steps, with the steps so far; false stops the walk.
  std::function<bool(std::int64_t steps)> goes_on = {};
};

struct WalkResult {
  // The best walk as a schedule; nothing if there is none within the limits, or if it was stopped.
  std::optional<std::vector<Replays>> replays;
  // Each reaches a state or takes one up to go on from it. Takes microseconds at most.
  std::int64_t steps = 0;
  bool is_stopped = false;  // by goes_on() or most_nodes
};

// Exact. Time and memory grow with the states that are not dominated, exponentially in the worst
// case. REQUIRES: `problem` was made from `program`.
WalkResult walk_backwards(const Program& program, const SmallProblem& problem, WalkGoal goal,
                          const WalkLimits& limits);

}  // namespace reprise::plan
