// SPDX-License-Identifier: Apache-2.0
// A small program as bit sets: what an exhaustive search needs to know about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reprise/plan/program.h"

namespace reprise::plan {

inline constexpr int kMostExactRecipes = 16;
inline constexpr int kMostExactValues = 48;
// Of those that user code holds although a replay may make them again: each subset of them is a
// state of its own.
inline constexpr int kMostExactHeld = 12;

using ValueSet = std::uint64_t;  // bit i: SmallProblem::values[i]

struct SmallRecipe {
  int id = 0;  // in the program
  ValueSet inputs = 0;
  ValueSet outputs = 0;
  double cost_us = 0;
  std::int64_t other_bytes = 0;  // outputs that nobody wants, and workspace beyond the outputs
};

struct SmallUse {
  ValueSet needs = 0;
  Background background_bytes;  // resident bytes included
};

// Values that no schedule charges or that nobody can want in backward are left out: external ones;
// those that user code holds unless a useful replay makes a new instance of them.
struct SmallProblem {
  std::vector<int> values;          // ids in the program
  std::vector<std::int64_t> bytes;  // of each of them
  ValueSet held = 0;                // the instance that forward made is free
  std::vector<SmallRecipe> recipes;
  std::vector<SmallUse> uses;

  std::int64_t bytes_of(ValueSet set) const;
};

// Why the program has no SmallProblem: more than kMostExactRecipes recipes that may run again and
// rebuild something that backward wants, more than kMostExactValues values that it wants, or more
// than kMostExactHeld held ones among them.
std::optional<std::string> why_not_small(const Program& program);

// REQUIRES: !why_not_small(program).
SmallProblem small_problem(const Program& program);

}  // namespace reprise::plan
