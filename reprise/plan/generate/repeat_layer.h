// SPDX-License-Identifier: Apache-2.0
// A recorded network made deeper: one of its layers repeated, all else as it was recorded.
#pragma once

#include <cstdint>

#include "reprise/plan/program.h"

namespace reprise::plan {

// How the equal layers of a program lie in it: layer k has the ops [k * ops, (k + 1) * ops), and so
// on for values that are not external and for recipes. Behind the last layer there may be more of
// each. Backward goes through them from the last to the first: `uses` per layer, and whatever is
// more comes first.
struct LayerShape {
  std::int64_t layers = 0;
  std::int64_t ops = 0;
  std::int64_t values = 0;
  std::int64_t recipes = 0;
  std::int64_t uses = 0;
};

struct LayerRepeat {
  std::int64_t first = 2;   // layers kept at the beginning
  std::int64_t layer = 2;   // the one that is repeated
  std::int64_t last = 2;    // layers kept at the end
  std::int64_t layers = 4;  // in all
};

// External values are left out and recipes name no ops: what is left is what a planner reads. Times
// are scaled and rounded to six digits. The background of backward grows by the same step from
// layer to layer as it does where the repeated one was recorded.
// Throws std::invalid_argument if the shape does not fit the program, or if what comes out is not
// valid: then its layers are not alike. O(size of the result).
Program repeat_layer(const Program& program, const LayerShape& shape, const LayerRepeat& repeat);

}  // namespace reprise::plan
