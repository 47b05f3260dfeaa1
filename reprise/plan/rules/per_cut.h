// SPDX-License-Identifier: Apache-2.0
// Blocks between the narrowest places of the forward pass: per_label for programs without labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reprise/plan/planner_record.h"
#include "reprise/plan/program.h"

namespace reprise::plan {

// Per recipe in forward order the bytes that cross the cut after it: what was made until then and
// a later recipe reads. Values that user code holds cross for free. O(size of the program).
std::vector<std::int64_t> crossing_bytes(const Program& program, const std::vector<int>& order);

// Where no more bytes cross than one recipe earlier and one later, as ends of blocks. The first
// recipe and the last one end none.
std::vector<std::size_t> narrow_places(const std::vector<std::int64_t>& crossing_bytes);

// Cuts at narrow places. Option blocks: that many blocks of about equal bytes, each cut at the
// narrowest place near its share; without it every sensible number is tried, and all places at
// once.
PlannerRecord per_cut_record();

}  // namespace reprise::plan
