// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/editable_schedule.h"

#include <algorithm>

namespace reprise::plan {
namespace {

using Place = EditableSchedule::Place;

// What a place without a replay weighs before live values are added: never a maximum.
constexpr std::int64_t kEmptyBytes = -(std::int64_t{1} << 61);

std::size_t index(int id) { return static_cast<std::size_t>(id); }

void insert_sorted(std::vector<Place>& places, Place place) {
  places.insert(std::upper_bound(places.begin(), places.end(), place), place);
}

void erase_sorted(std::vector<Place>& places, Place place) {
  places.erase(std::lower_bound(places.begin(), places.end(), place));
}

std::vector<int> replay_counts(const Program& program, const Schedule& schedule) {
  std::vector<int> counts(program.uses.size(), 0);
  for (const Replays& replays : schedule.replays) {
    counts[index(replays.before_use)] = static_cast<int>(replays.recipes.size());
  }
  return counts;
}

std::int64_t count_places(const Program& program, const std::vector<int>& counts,
                          int spare_places) {
  std::int64_t places = program.ops();
  for (const int count : counts) {
    places += 2 * count + spare_places + 2;
  }
  return places;
}

}  // namespace

EditableSchedule::EditableSchedule(const Program& program, const Schedule& schedule,
                                   int spare_places)
    : program_(&program),
      productions_(program.values.size()),
      readings_(program.values.size()),
      bytes_(count_places(program, replay_counts(program, schedule), spare_places), kEmptyBytes) {
  const std::vector<int> counts = replay_counts(program, schedule);
  uses_at_.assign(index(places()), -1);
  recipes_at_.assign(index(places()), kNoRecipe);
  replay_index_.assign(index(places()), -1);
  const auto set_bytes = [&](Place place, std::int64_t bytes) {
    add_bytes(place, place, bytes - kEmptyBytes);
  };
  for (Place op = 0; op < program.ops(); ++op) {
    set_bytes(op, program.forward_peak_bytes[index(op)]);
  }
  auto next = static_cast<Place>(program.ops());
  for (std::size_t use = 0; use < program.uses.size(); ++use) {
    const Place begin = next;
    const Place at_use = begin + 2 * counts[use] + spare_places;
    next = at_use + 2;
    std::fill(uses_at_.begin() + begin, uses_at_.begin() + next, static_cast<int>(use));
    use_places_.push_back(at_use);
    const Background& background = program.uses[use].background_bytes;
    set_bytes(at_use, background.running + program.resident_bytes);
    set_bytes(at_use + 1, background.after + program.resident_bytes);
    for (const int value : program.uses[use].needs) {
      if (!program.values[index(value)].external) {
        add_reading(value, at_use);
      }
    }
  }
  for (const Recipe& recipe : program.recipes) {
    std::int64_t output_bytes = 0;
    for (const int output : recipe.outputs) {
      output_bytes += program.values[index(output)].bytes;
    }
    replay_bytes_.push_back(std::max<std::int64_t>(0, recipe.transient_bytes - output_bytes));
  }
  for (const Replays& replays : schedule.replays) {
    // Every second place of the gap, so that a replay has room beside it.
    Place place = gap_begin(replays.before_use) + spare_places / 2;
    for (const int recipe : replays.recipes) {
      do_insert(place, recipe);
      place += 2;
    }
  }
}

Schedule EditableSchedule::schedule() const {
  std::vector<Place> places = replays_;
  std::sort(places.begin(), places.end());
  Schedule schedule;
  for (const Place place : places) {
    if (schedule.replays.empty() || schedule.replays.back().before_use != use_at(place)) {
      schedule.replays.push_back({.before_use = use_at(place), .recipes = {}});
    }
    schedule.replays.back().recipes.push_back(recipe_at(place));
  }
  return schedule;
}

Place EditableSchedule::gap_begin(int use) const {
  return use == 0 ? static_cast<Place>(program_->ops()) : use_place(use - 1) + 2;
}

bool EditableSchedule::is_gap(Place place) const {
  const int use = use_at(place);
  return use >= 0 && place < use_place(use);
}

Place EditableSchedule::occupied_before(Place place) const {
  const Place begin = gap_begin(use_at(place));
  --place;
  while (place >= begin && recipe_at(place) == kNoRecipe) {
    --place;
  }
  return place;
}

EditableSchedule::Stay EditableSchedule::stay_at(int value, Place place) const {
  const std::vector<Place>& made = productions_[index(value)];
  const std::vector<Place>& read = readings_[index(value)];
  const auto next = std::lower_bound(made.begin(), made.end(), place);
  Stay stay;
  stay.ends_before = next == made.end() ? places() : *next;
  stay.made = next == made.begin() ? kNever : *(next - 1);
  const auto after = std::lower_bound(read.begin(), read.end(), stay.ends_before);
  // A replay reads before it writes: a reading at the next production belongs to this stay. No
  // recipe reads its own output, so there is none.
  if (after != read.begin() && *(after - 1) > stay.made) {
    stay.last_reading = *(after - 1);
  }
  return stay;
}

bool EditableSchedule::is_read(Place place) const {
  const std::vector<int>& outputs = program_->recipes[index(recipe_at(place))].outputs;
  return std::any_of(outputs.begin(), outputs.end(),
                     [&](int output) { return stay_at(output, place + 1).last_reading != kNever; });
}

void EditableSchedule::add_bytes(Place first, Place last, std::int64_t bytes) {
  if (first <= last && bytes != 0) {
    bytes_.add(first, last, bytes);
  }
}

void EditableSchedule::add_reading(int value, Place place) {
  const Stay stay = stay_at(value, place);
  const Value& info = program_->values[index(value)];
  if (stay.made != kNever) {
    add_bytes(std::max(stay.made, stay.last_reading) + 1, place, info.bytes);
  } else if (!program_->is_held(info)) {
    add_bytes(std::max(static_cast<Place>(info.released_at), stay.last_reading) + 1, place,
              info.bytes);
  }
  insert_sorted(readings_[index(value)], place);
}

void EditableSchedule::remove_reading(int value, Place place) {
  erase_sorted(readings_[index(value)], place);
  const Stay stay = stay_at(value, place);
  const Value& info = program_->values[index(value)];
  if (stay.made != kNever) {
    add_bytes(std::max(stay.made, stay.last_reading) + 1, place, -info.bytes);
  } else if (!program_->is_held(info)) {
    add_bytes(std::max(static_cast<Place>(info.released_at), stay.last_reading) + 1, place,
              -info.bytes);
  }
}

void EditableSchedule::add_production(int value, Place place) {
  // Readings after `place` move from the stay that covers it to the new one.
  const Stay before = stay_at(value, place);
  const Value& info = program_->values[index(value)];
  const std::vector<Place>& read = readings_[index(value)];
  if (before.last_reading > place) {
    const auto first_moved = std::upper_bound(read.begin(), read.end(), place);
    const bool has_earlier = first_moved != read.begin() && *(first_moved - 1) > before.made;
    const Place earlier = has_earlier ? *(first_moved - 1) : kNever;
    if (before.made != kNever || !program_->is_held(info)) {
      const Place start =
          before.made != kNever ? before.made : static_cast<Place>(info.released_at);
      // The old stay ends at its last earlier reading; the new one begins here.
      add_bytes(std::max(start, earlier) + 1, place - 1, -info.bytes);
    } else {
      add_bytes(place, before.last_reading, info.bytes);
    }
  } else {
    add_bytes(place, place, info.bytes);
  }
  insert_sorted(productions_[index(value)], place);
}

void EditableSchedule::remove_production(int value, Place place) {
  erase_sorted(productions_[index(value)], place);
  const Stay before = stay_at(value, place);
  const Value& info = program_->values[index(value)];
  const std::vector<Place>& read = readings_[index(value)];
  if (before.last_reading > place) {
    const auto first_moved = std::upper_bound(read.begin(), read.end(), place);
    const bool has_earlier = first_moved != read.begin() && *(first_moved - 1) > before.made;
    const Place earlier = has_earlier ? *(first_moved - 1) : kNever;
    if (before.made != kNever || !program_->is_held(info)) {
      const Place start =
          before.made != kNever ? before.made : static_cast<Place>(info.released_at);
      add_bytes(std::max(start, earlier) + 1, place - 1, info.bytes);
    } else {
      add_bytes(place, before.last_reading, -info.bytes);
    }
  } else {
    add_bytes(place, place, -info.bytes);
  }
}

void EditableSchedule::do_insert(Place place, int recipe_id) {
  const Recipe& recipe = program_->recipes[index(recipe_id)];
  ++edits_;
  recipes_at_[index(place)] = recipe_id;
  replay_index_[index(place)] = static_cast<std::int32_t>(replays_.size());
  replays_.push_back(place);
  const Background& background = program_->uses[index(use_at(place))].background_bytes;
  add_bytes(place, place,
            background.replaying + program_->resident_bytes + replay_bytes_[index(recipe_id)] -
                kEmptyBytes);
  for (const int input : recipe.inputs) {
    if (!program_->values[index(input)].external) {
      add_reading(input, place);
    }
  }
  for (const int output : recipe.outputs) {
    add_production(output, place);
  }
  recompute_us_ += recipe.cost_us;
}

void EditableSchedule::do_erase(Place place) {
  const int recipe_id = recipe_at(place);
  const Recipe& recipe = program_->recipes[index(recipe_id)];
  ++edits_;
  for (const int output : recipe.outputs) {
    remove_production(output, place);
  }
  for (const int input : recipe.inputs) {
    if (!program_->values[index(input)].external) {
      remove_reading(input, place);
    }
  }
  const Background& background = program_->uses[index(use_at(place))].background_bytes;
  add_bytes(place, place,
            kEmptyBytes - background.replaying - program_->resident_bytes -
                replay_bytes_[index(recipe_id)]);
  recipes_at_[index(place)] = kNoRecipe;
  const std::int32_t hole = replay_index_[index(place)];
  replays_[index(hole)] = replays_.back();
  replay_index_[index(replays_.back())] = hole;
  replays_.pop_back();
  replay_index_[index(place)] = -1;
  recompute_us_ -= recipe.cost_us;
}

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
  const Place begin = gap_begin(use);
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
