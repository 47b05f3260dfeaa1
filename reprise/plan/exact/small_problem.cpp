// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/exact/small_problem.h"

#include <algorithm>
#include <bit>

#include "reprise/plan/rebuild.h"

namespace reprise::plan {
namespace {

// The values that backward may want, and the recipes that may bring one back.
class Relevance {
 public:
  explicit Relevance(const Program& program)
      : program_(program),
        is_wanted_(program.values.size(), false),
        is_useful_(program.recipes.size(), false) {
    for (const Use& use : program.uses) {
      want(use.needs);
    }
    // What a useful recipe reads is wanted, which may make another one useful.
    for (bool has_grown = true; has_grown;) {
      has_grown = false;
      for (std::size_t i = 0; i < program.recipes.size(); ++i) {
        if (!is_useful_[i] && rebuilds_something(program.recipes[i])) {
          is_useful_[i] = true;
          want(program.recipes[i].inputs);
          has_grown = true;
        }
      }
    }
  }

  std::vector<int> values() const {
    std::vector<int> ids;
    for (std::size_t i = 0; i < program_.values.size(); ++i) {
      const Value& value = program_.values[i];
      const bool may_be_replaced =
          value.recipe != kNoRecipe && is_useful_[static_cast<std::size_t>(value.recipe)];
      if (is_wanted_[i] && (!program_.is_held(value) || may_be_replaced)) {
        ids.push_back(static_cast<int>(i));
      }
    }
    return ids;
  }

  std::vector<int> recipes() const {
    std::vector<int> ids;
    for (std::size_t i = 0; i < is_useful_.size(); ++i) {
      if (is_useful_[i]) {
        ids.push_back(static_cast<int>(i));
      }
    }
    return ids;
  }

 private:
  void want(const std::vector<int>& ids) {
    for (const int id : ids) {
      if (!program_.values[static_cast<std::size_t>(id)].external) {
        is_wanted_[static_cast<std::size_t>(id)] = true;
      }
    }
  }

  // A held value alone is no reason for a replay: the instance that is there is free.
  bool rebuilds_something(const Recipe& recipe) const {
    return recipe.replayable &&
           std::any_of(recipe.outputs.begin(), recipe.outputs.end(), [&](int id) {
             return is_wanted_[static_cast<std::size_t>(id)] &&
                    !program_.is_held(program_.values[static_cast<std::size_t>(id)]);
           });
  }

  const Program& program_;
  std::vector<bool> is_wanted_;
  std::vector<bool> is_useful_;
};

ValueSet set_of(const std::vector<int>& ids, const std::vector<int>& bit_of) {
  ValueSet set = 0;
  for (const int id : ids) {
    if (bit_of[static_cast<std::size_t>(id)] >= 0) {
      set |= ValueSet{1} << bit_of[static_cast<std::size_t>(id)];
    }
  }
  return set;
}

}  // namespace

std::int64_t SmallProblem::bytes_of(ValueSet set) const {
  std::int64_t sum = 0;
  for (; set != 0; set &= set - 1) {
    sum += bytes[static_cast<std::size_t>(std::countr_zero(set))];
  }
  return sum;
}

std::optional<std::string> why_not_small(const Program& program) {
  const Relevance relevance(program);
  const std::size_t recipes = relevance.recipes().size();
  if (recipes > kMostExactRecipes) {
    return "it has " + std::to_string(recipes) + " recipes that may run again, at most " +
           std::to_string(kMostExactRecipes) + " are searched exhaustively";
  }
  const std::vector<int> values = relevance.values();
  if (values.size() > kMostExactValues) {
    return "it has " + std::to_string(values.size()) + " values that backward may want, at most " +
           std::to_string(kMostExactValues) + " are searched exhaustively";
  }
  const std::ptrdiff_t held = std::count_if(values.begin(), values.end(), [&](int id) {
    return program.is_held(program.values[static_cast<std::size_t>(id)]);
  });
  if (held > kMostExactHeld) {
    return "it holds " + std::to_string(held) + " values that may be made again, at most " +
           std::to_string(kMostExactHeld) + " are searched exhaustively";
  }
  return std::nullopt;
}

SmallProblem small_problem(const Program& program) {
  const Relevance relevance(program);
  SmallProblem problem;
  problem.values = relevance.values();
  std::vector<int> bit_of(program.values.size(), -1);
  for (std::size_t bit = 0; bit < problem.values.size(); ++bit) {
    const Value& value = program.values[static_cast<std::size_t>(problem.values[bit])];
    bit_of[static_cast<std::size_t>(problem.values[bit])] = static_cast<int>(bit);
    problem.bytes.push_back(value.bytes);
    problem.held |= program.is_held(value) ? ValueSet{1} << bit : 0;
  }
  for (const int id : relevance.recipes()) {
    const Recipe& recipe = program.recipes[static_cast<std::size_t>(id)];
    SmallRecipe small{.id = id,
                      .inputs = set_of(recipe.inputs, bit_of),
                      .outputs = set_of(recipe.outputs, bit_of),
                      .cost_us = recipe.cost_us};
    std::int64_t output_bytes = 0;
    for (const int output : recipe.outputs) {
      output_bytes += program.values[static_cast<std::size_t>(output)].bytes;
    }
    small.other_bytes = output_bytes - problem.bytes_of(small.outputs) +
                        std::max<std::int64_t>(0, recipe.transient_bytes - output_bytes);
    problem.recipes.push_back(small);
  }
  for (const Use& use : program.uses) {
    problem.uses.push_back(
        {.needs = set_of(use.needs, bit_of),
         .background_bytes = {use.background_bytes.replaying + program.resident_bytes,
                              use.background_bytes.running + program.resident_bytes,
                              use.background_bytes.after + program.resident_bytes}});
  }
  return problem;
}

}  // namespace reprise::plan
