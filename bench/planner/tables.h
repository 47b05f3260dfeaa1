// SPDX-License-Identifier: Apache-2.0
// The tables of the planner's bench, one file each. All figures but times are simulated, so they
// are exact and the same in every run.
#pragma once

#include "bench/planner/bench_table.h"

namespace reprise::bench {

// Recorded steps at shares of the peak with everything kept.
BenchTable recorded_table();
// The same steps at the peak of checkpointing every block.
BenchTable per_block_table();
// The smallest budget that `search` meets.
BenchTable minimum_table();
// Recorded steps of other kinds, which nothing was tuned on.
BenchTable other_kinds_table();
// A recorded transformer made deeper, up to 50,000 ops.
BenchTable deep_table();
// Generated steps, beside the best of the other planners and the online one.
BenchTable kinds_table();
// Tiny random programs against the exact optimum.
BenchTable tiny_table();
// The planners of chains.
BenchTable chain_table();
// What every planner makes of one step.
BenchTable frontier_table();

}  // namespace reprise::bench
