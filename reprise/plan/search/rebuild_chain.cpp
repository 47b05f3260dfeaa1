// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/rebuild_chain.h"

#include <algorithm>

#include "reprise/plan/index.h"
#include "reprise/plan/rebuild.h"

namespace reprise::plan {

RebuildChain::RebuildChain(const EditableSchedule& edited)
    : edited_(edited),
      seen_recipe_(edited.program().recipes.size(), 0),
      seen_value_(edited.program().values.size(), 0) {}

RebuildChain::Answer RebuildChain::build(int value, Place place, Place reference,
                                         double input_fraction, const Limits& limits) {
  ++build_;
  place_ = place;
  reference_ = reference;
  const Value& wanted = edited_.program().values[index(value)];
  small_bytes_ = static_cast<std::int64_t>(input_fraction * static_cast<double>(wanted.bytes));
  limits_ = limits;
  recipes_.clear();
  open_recipes_ = 0;
  cost_us_ = 0;
  extended_bytes_ = 0;
  return add(wanted.recipe);
}

// Depth first, at most `limits_.recipes` deep; a recipe comes after those of its inputs.
RebuildChain::Answer RebuildChain::add(int recipe_id) {
  const Program& program = edited_.program();
  if (recipes_.size() + open_recipes_ >= limits_.recipes) {
    return Answer::kUseless;
  }
  seen_recipe_[index(recipe_id)] = build_;
  ++open_recipes_;
  const Recipe& recipe = program.recipes[index(recipe_id)];
  cost_us_ += recipe.cost_us;
  if (cost_us_ > limits_.cost_us) {
    return Answer::kTooDear;
  }
  for (const int input : recipe.inputs) {
    const Value& value = program.values[index(input)];
    if (value.external || seen_value_[index(input)] == build_ ||
        (value.recipe != kNoRecipe && seen_recipe_[index(value.recipe)] == build_)) {
      continue;
    }
    const EditableSchedule::Stay stay = edited_.stay_at(input, place_);
    if (stay.made == EditableSchedule::kNever && program.is_held(value)) {
      continue;
    }
    const Place born =
        stay.made == EditableSchedule::kNever ? static_cast<Place>(value.released_at) : stay.made;
    const Place died = std::max(born, stay.last_reading);
    if (died >= place_) {
      continue;
    }
    if (died >= reference_ || !is_rebuildable(program, input) || value.bytes <= small_bytes_) {
      seen_value_[index(input)] = build_;
      extended_bytes_ += died < reference_ ? value.bytes : 0;
      if (extended_bytes_ > limits_.extended_bytes) {
        return Answer::kUseless;
      }
    } else if (const Answer answer = add(value.recipe); answer != Answer::kBuilt) {
      return answer;
    }
  }
  --open_recipes_;
  recipes_.push_back(recipe_id);
  return Answer::kBuilt;
}

}  // namespace reprise::plan
