// SPDX-License-Identifier: Apache-2.0
// Which ops of a step make up which recipe.
#pragma once

#include <vector>

#include "reprise/profile/step_trace.h"
#include "reprise/profile/storage_writes.h"

namespace reprise::profile {

// The ops of each recipe, ascending; recipes in the order of their first ops. Only ops behind
// `needed` are in any: storages of the trace, which are not external and which some op made.
//
// - A recipe makes storages as their last write left them: earlier versions are overwritten, so
//   nobody can keep them. All ops that write one storage belong to one recipe.
// - An op that reads an earlier version takes the last one instead, if what it reads is there as
//   well (StorageWrites::outlives_later_writes). Otherwise it joins the recipe of the storage, and
//   what it makes is one more result of that.
// - Recipes that need each other are one.
//
// O(size of the trace), and for each reading of an earlier version O(later writes).
std::vector<std::vector<int>> group_ops(const StepTrace& trace, const StorageWrites& writes,
                                        const std::vector<int>& needed);

}  // namespace reprise::profile
