// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/editable_schedule.h"

#include <algorithm>

#include "reprise/plan/index.h"

namespace reprise::plan {
namespace {

using Place = EditableSchedule::Place;

// What a place without a replay weighs before live values are added: never a maximum.
constexpr std::int64_t kEmptyBytes = -(std::int64_t{1} << 61);

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
        charge_reading(value, at_use, 1);
        insert_sorted(readings_[index(value)], at_use);
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
    // Every second place of the use, so that a replay has room beside it.
    Place place = replay_places_begin(replays.before_use) + spare_places / 2;
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
    recipes_before(schedule.replays, use_at(place)).push_back(recipe_at(place));
  }
  return schedule;
}

Place EditableSchedule::replay_places_begin(int use) const {
  return use == 0 ? static_cast<Place>(program_->ops()) : use_place(use - 1) + 2;
}

bool EditableSchedule::is_replay_place(Place place) const {
  const int use = use_at(place);
  return use >= 0 && place < use_place(use);
}

Place EditableSchedule::occupied_before(Place place) const {
  const Place begin = replay_places_begin(use_at(place));
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

// What a reading at `place` that is not in `readings_` adds to the bytes: its stay is charged
// further, from its production or last reading to there.
void EditableSchedule::charge_reading(int value, Place place, std::int64_t sign) {
  const Stay stay = stay_at(value, place);
  const Value& info = program_->values[index(value)];
  if (stay.made == kNever && program_->is_held(info)) {
    return;
  }
  const Place born = stay.made == kNever ? static_cast<Place>(info.released_at) : stay.made;
  add_bytes(std::max(born, stay.last_reading) + 1, place, sign * info.bytes);
}

// What a production at `place` that is not in `productions_` adds: readings after it move from the
// stay that covers it to a new one.
void EditableSchedule::charge_production(int value, Place place, std::int64_t sign) {
  const Stay before = stay_at(value, place);
  const Value& info = program_->values[index(value)];
  if (before.last_reading <= place) {
    add_bytes(place, place, sign * info.bytes);  // nobody reads what is made here
    return;
  }
  if (before.made == kNever && program_->is_held(info)) {
    add_bytes(place, before.last_reading, sign * info.bytes);  // the old stay was free
    return;
  }
  // The old stay ends at its last reading before this; the new one begins here.
  const std::vector<Place>& read = readings_[index(value)];
  const auto first_moved = std::upper_bound(read.begin(), read.end(), place);
  const bool has_earlier = first_moved != read.begin() && *(first_moved - 1) > before.made;
  const Place earlier = has_earlier ? *(first_moved - 1) : kNever;
  const Place born = before.made == kNever ? static_cast<Place>(info.released_at) : before.made;
  add_bytes(std::max(born, earlier) + 1, place - 1, -sign * info.bytes);
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
      charge_reading(input, place, 1);
      insert_sorted(readings_[index(input)], place);
    }
  }
  for (const int output : recipe.outputs) {
    charge_production(output, place, 1);
    insert_sorted(productions_[index(output)], place);
  }
  recompute_us_ += recipe.cost_us;
}

void EditableSchedule::do_erase(Place place) {
  const int recipe_id = recipe_at(place);
  const Recipe& recipe = program_->recipes[index(recipe_id)];
  ++edits_;
  for (const int output : recipe.outputs) {
    erase_sorted(productions_[index(output)], place);
    charge_production(output, place, -1);
  }
  for (const int input : recipe.inputs) {
    if (!program_->values[index(input)].external) {
      erase_sorted(readings_[index(input)], place);
      charge_reading(input, place, -1);
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

}  // namespace reprise::plan
