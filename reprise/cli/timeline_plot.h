// SPDX-License-Identifier: Apache-2.0
// The bytes of a step over its slots, drawn with characters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reprise/plan/simulate.h"

namespace reprise::cli {

// Columns of slots, each the one of its slots that has most bytes, stacked by kind: '.' what no
// schedule controls, '#' kept, '+' recomputed, '*' workspace of a replay. Under it, where forward
// ends and backward begins. No line is longer than `width` (at least 40 are used) characters.
std::string timeline_plot(const std::vector<plan::Slot>& timeline, std::int64_t width);

}  // namespace reprise::cli
