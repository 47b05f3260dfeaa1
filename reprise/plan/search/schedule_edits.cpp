// SPDX-License-Identifier: Apache-2.0
// The edits of an EditableSchedule and their journal: everything here comes down to do_insert() and
// do_erase().
#include <algorithm>
#include <utility>

#include "reprise/plan/index.h"
#include "reprise/plan/search/editable_schedule.h"

namespace reprise::plan {
namespace {

using Place = EditableSchedule::Place;

}  // namespace

void EditableSchedule::insert(Place place, int recipe) {
  journal_.push_back({place, recipe, true, recompute_us_});
  do_insert(place, recipe);
}

void EditableSchedule::erase(Place place) {
  journal_.push_back({place, recipe_at(place), false, recompute_us_});
  do_erase(place);
}

void EditableSchedule::erase_with_feeders(Place place) {
  unread_.assign(1, place);
  bool is_first = true;
  while (!unread_.empty()) {
    const Place next = unread_.back();
    unread_.pop_back();
    if (recipe_at(next) == kNoRecipe || (!is_first && is_read(next))) {
      continue;
    }
    is_first = false;
    const Recipe& recipe = program_->recipes[index(recipe_at(next))];
    for (const int input : recipe.inputs) {
      if (!program_->values[index(input)].external) {
        if (const Place made = stay_at(input, next).made; made != kNever) {
          unread_.push_back(made);
        }
      }
    }
    erase(next);
  }
}

Place EditableSchedule::make_room(Place place, int count, std::vector<Place>& free) {
  free.clear();
  const int use = use_at(place);
  const Place before = occupied_before(place);
  if (place - before - 1 >= count) {
    for (int i = 1; i <= count; ++i) {
      free.push_back(before + static_cast<Place>((place - before) * std::int64_t{i} / (count + 1)));
    }
    return place;
  }
  const Place begin = replay_places_begin(use);
  const Place end = use_place(use);
  std::vector<std::pair<Place, int>> held;
  for (Place at = begin; at < end; ++at) {
    if (recipe_at(at) != kNoRecipe) {
      held.emplace_back(at, recipe_at(at));
    }
  }
  const auto wanted = static_cast<std::int64_t>(held.size()) + count;
  const std::int64_t room = end - begin;
  if (wanted > room) {
    return kNever;
  }
  for (const auto& [at, recipe] : held) {
    erase(at);
  }
  std::int64_t next = 0;
  Place moved = place;
  const auto spread = [&](std::int64_t i) { return begin + static_cast<Place>(i * room / wanted); };
  const auto take_free = [&] {
    for (int i = 0; i < count; ++i) {
      free.push_back(spread(next++));
    }
  };
  for (const auto& [at, recipe] : held) {
    if (at == place) {
      take_free();
      moved = spread(next);
    }
    insert(spread(next++), recipe);
  }
  if (place == end) {
    take_free();
  }
  return moved;
}

void EditableSchedule::roll_back(Savepoint savepoint) {
  while (journal_.size() > savepoint) {
    const Edit edit = journal_.back();
    journal_.pop_back();
    if (edit.is_insertion) {
      do_erase(edit.place);
    } else {
      do_insert(edit.place, edit.recipe);
    }
    recompute_us_ = edit.recompute_us_before;
  }
}

void EditableSchedule::inserted_since(Savepoint savepoint, std::vector<Place>& places) const {
  places.clear();
  for (std::size_t i = savepoint; i < journal_.size(); ++i) {
    if (journal_[i].is_insertion && recipe_at(journal_[i].place) != kNoRecipe) {
      places.push_back(journal_[i].place);
    }
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
}

}  // namespace reprise::plan
