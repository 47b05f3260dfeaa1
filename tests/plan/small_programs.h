// SPDX-License-Identifier: Apache-2.0
// Programs that are small enough to be worked out by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reprise/plan/program.h"

namespace reprise::plan {

// A chain: op i makes value i of `bytes[i]` from value i - 1 in `cost_us[i]`, and user code lets go
// of it when op i + 1 has run. Backward needs the values one by one, the last one first.
inline Program chain_program(const std::vector<std::int64_t>& bytes,
                             const std::vector<double>& cost_us) {
  Program program;
  program.name = "chain";
  const int stages = static_cast<int>(bytes.size());
  for (int i = 0; i < stages; ++i) {
    const auto at = static_cast<std::size_t>(i);
    program.forward_us += cost_us[at];
    program.forward_peak_bytes.push_back(bytes[at] + (i > 0 ? bytes[at - 1] : 0));
    Value value;
    value.bytes = bytes[at];
    value.made_at = i;
    value.released_at = i + 1 < stages ? i + 1 : i;
    value.recipe = i;
    program.values.push_back(std::move(value));
    Recipe recipe;
    recipe.name = "stage";
    if (i > 0) {
      recipe.inputs = {i - 1};
    }
    recipe.outputs = {i};
    recipe.ops = {i};
    recipe.cost_us = cost_us[at];
    recipe.transient_bytes = bytes[at];
    program.recipes.push_back(std::move(recipe));
  }
  for (int i = stages - 1; i >= 0; --i) {
    Use use;
    use.name = "StageBackward";
    use.needs = {i};
    program.uses.push_back(std::move(use));
  }
  program.step_us = 3 * program.forward_us;
  return program;
}

}  // namespace reprise::plan
