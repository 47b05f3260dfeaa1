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

// One recipe makes all values; user code holds all but value 0. The last use needs every value, the
// first is so large that value 0 cannot wait for that.
inline Program held_outputs_program(int values) {
  Program program;
  program.name = "held_outputs";
  program.recipes.resize(1);
  program.recipes[0].name = "split";
  program.recipes[0].cost_us = 7;
  program.recipes[0].ops = {0};
  program.recipes[0].transient_bytes = 10 * values;
  for (int i = 0; i < values; ++i) {
    Value value;
    value.bytes = 10;
    value.released_at = i == 0 ? 0 : 2;
    value.recipe = 0;
    program.values.push_back(std::move(value));
    program.recipes[0].outputs.push_back(i);
  }
  program.resident_bytes = std::int64_t{10} * (values - 1);
  program.forward_peak_bytes.assign(2, std::int64_t{10} * values);
  program.uses.resize(2);
  program.uses[0].name = "LargeBackward";
  program.uses[0].background_bytes.running = 10'000;
  program.uses[1].name = "AllBackward";
  program.uses[1].needs = program.recipes[0].outputs;
  program.step_us = 100;
  return program;
}

// `recipes` recipes of three values each, of which each reads two that were made shortly before.
inline Program triples_program(int recipes) {
  Program program;
  program.name = "triples";
  program.forward_peak_bytes.assign(static_cast<std::size_t>(recipes), 100);
  for (int i = 0; i < recipes; ++i) {
    Recipe recipe;
    recipe.name = "triple";
    recipe.cost_us = 1 + i * 5 % 7;
    recipe.ops = {i};
    if (i > 0) {
      recipe.inputs = {3 * i - 1, 3 * i - (i > 1 ? 5 : 2)};
    }
    Use use{.name = "TripleBackward", .cost_us = 1};
    for (int k = 0; k < 3; ++k) {
      Value value;
      value.bytes = 1 + (i * 7 + k * 4) % 10;
      value.made_at = i;
      value.released_at = i;
      value.recipe = i;
      use.needs.push_back(static_cast<int>(program.values.size()));
      program.values.push_back(std::move(value));
    }
    recipe.outputs = use.needs;
    for (const int input : recipe.inputs) {
      program.values[static_cast<std::size_t>(input)].released_at = i;
    }
    program.recipes.push_back(std::move(recipe));
    program.uses.insert(program.uses.begin(), std::move(use));
  }
  program.step_us = 100;
  return program;
}

}  // namespace reprise::plan
