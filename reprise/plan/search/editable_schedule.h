// SPDX-License-Identifier: Apache-2.0
// A schedule that can be edited one replay at a time and knows its peak and cost after each edit.
//
// The step is a row of places: one per forward op; then, per use, its replay places, a
// place for its node and one for what follows it. A place without a replay weighs nothing. Because
// forward makes every value once, any set of replays before any use is valid (schedule.h), so an
// edit needs no test, only the change of a few stays in memory: additions to ranges of a MaxTree.
//
// Invariants:
//   1. The bytes of every place are those of simulate() for the schedule of the replays in order.
//   2. `productions` and `readings` of a value ascend.
#pragma once

#include <cstdint>
#include <vector>

#include "reprise/plan/program.h"
#include "reprise/plan/schedule.h"
#include "reprise/plan/search/max_tree.h"

namespace reprise::plan {

// Replay places that each use has beside twice its replays, for replays to come.
inline constexpr int kSparePlaces = 32;

class EditableSchedule {
 public:
  using Place = std::int32_t;
  static constexpr Place kNever = -1;

  // What is known of a value at one place: the stay that covers it or the last one before it.
  struct Stay {
    Place made = kNever;          // the replay that made it; kNever: forward
    Place last_reading = kNever;  // of this stay, anywhere; kNever: none
    Place ends_before = 0;        // the next production, or the number of places
  };

  // REQUIRES: `program` outlives this and has no fault; `schedule` has none for it.
  // `spare_places`: replay places that each use has beside twice its replays.
  EditableSchedule(const Program& program, const Schedule& schedule, int spare_places);

  const Program& program() const { return *program_; }
  Schedule schedule() const;

  std::int64_t peak_bytes() const { return bytes_.max(); }
  double recompute_us() const { return recompute_us_; }
  std::int64_t replay_count() const { return static_cast<std::int64_t>(replays_.size()); }

  // Places.
  Place places() const { return static_cast<Place>(bytes_.size()); }
  Place use_place(int use) const { return use_places_[static_cast<std::size_t>(use)]; }
  Place replay_places_begin(int use) const;
  int use_at(Place place) const { return uses_at_[static_cast<std::size_t>(place)]; }
  bool is_replay_place(Place place) const;
  int recipe_at(Place place) const { return recipes_at_[static_cast<std::size_t>(place)]; }
  const MaxTree& bytes() const { return bytes_; }
  // The replay places, in no particular order.
  const std::vector<Place>& replays() const { return replays_; }
  // The last replay place of the same use before `place` that has a replay, or the place before
  // them all.
  Place occupied_before(Place place) const;

  // Values. External ones have neither readings nor stays.
  const std::vector<Place>& readings(int value) const {
    return readings_[static_cast<std::size_t>(value)];
  }
  const std::vector<Place>& productions(int value) const {
    return productions_[static_cast<std::size_t>(value)];
  }
  // The stay of `value` that a reading at `place` would belong to.
  Stay stay_at(int value, Place place) const;
  // Whether something reads an output of the replay at `place`.
  bool is_read(Place place) const;

  // Insertions and erasures so far, undone ones and their undoing included: how much work was done,
  // in a measure that does not depend on the machine.
  std::int64_t edits() const { return edits_; }

  // Edits. Each is kept in a journal until forget_journal().
  // REQUIRES: `place` is a replay place and has no replay.
  void insert(Place place, int recipe);
  // REQUIRES: `place` has a replay.
  void erase(Place place);
  // erase(), then every replay that is left without a reader by it.
  void erase_with_feeders(Place place);
  // Makes `count` places free in a row of places just before `place`, which is a use or a replay,
  // by moving other replays of the use without changing their order. Returns where `place` is now
  // and fills `free` (ascending); kNever if the use's places are full.
  Place make_room(Place place, int count, std::vector<Place>& free);

  using Savepoint = std::size_t;
  Savepoint savepoint() const { return journal_.size(); }
  void roll_back(Savepoint savepoint);
  // The places of the replays that were inserted since then and are still there, ascending.
  void inserted_since(Savepoint savepoint, std::vector<Place>& places) const;
  void forget_journal() { journal_.clear(); }

 private:
  struct Edit {
    Place place;
    int recipe;
    bool is_insertion;
    double recompute_us_before;
  };

  void add_bytes(Place first, Place last, std::int64_t bytes);
  void charge_reading(int value, Place place, std::int64_t sign);
  void charge_production(int value, Place place, std::int64_t sign);
  void do_insert(Place place, int recipe);
  void do_erase(Place place);

  const Program* program_;
  std::vector<Place> use_places_;
  std::vector<int> uses_at_;     // per place; -1 in forward
  std::vector<int> recipes_at_;  // per place; kNoRecipe: none
  std::vector<Place> replays_;
  std::vector<std::int32_t> replay_index_;  // per place: where it is in replays_
  std::vector<std::vector<Place>> productions_;
  std::vector<std::vector<Place>> readings_;
  // Per recipe: what a replay takes beside the values that are alive and the background.
  std::vector<std::int64_t> replay_bytes_;
  MaxTree bytes_;
  double recompute_us_ = 0;
  std::int64_t edits_ = 0;
  std::vector<Edit> journal_;
  std::vector<Place> unread_;  // of erase_with_feeders(): still to look at
};

}  // namespace reprise::plan
