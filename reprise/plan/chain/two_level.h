// SPDX-License-Identifier: Apache-2.0
// Two simple ways to spread the snapshots of revolve over memory (level 0) and disk (level 1).
#pragma once

#include <cstdint>
#include <vector>

#include "reprise/plan/chain/actions.h"
#include "reprise/plan/chain/binomial.h"

namespace reprise::plan {

// Multistage: revolve's schedule for memory + disk snapshots, in which the snapshots that are used
// most often lie in memory. Snapshots form a stack; the `memory` stack places with the most writes
// and reads together get memory, of equals the deeper ones. As many forward steps as revolve takes;
// not optimal if the disk is slow. Stumm & Walther 2009 (SIAM Journal on Scientific Computing 31).
// Throws std::invalid_argument unless steps >= 1, memory >= 0, disk >= 0 and memory + disk >= 1.
std::vector<Action> multistage_actions(std::int64_t steps, std::int64_t memory, std::int64_t disk,
                                       Split split = Split::kRevolve);

// Periodic and binomial: every `period`-th state goes to disk while the chain runs to its end,
// whose distance need not be known; then each period is reversed by revolve with the state on disk
// and `memory` further ones. Pringle et al. 2016. Throws std::invalid_argument
// unless steps >= 1, period >= 1 and memory >= 0.
std::vector<Action> periodic_binomial_actions(std::int64_t steps, std::int64_t period,
                                              std::int64_t memory, Split split = Split::kRevolve);

}  // namespace reprise::plan
