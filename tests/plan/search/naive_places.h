// SPDX-License-Identifier: Apache-2.0
// What an EditableSchedule should say, worked out anew each time from where the replays are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "reprise/plan/program.h"
#include "reprise/plan/search/editable_schedule.h"

namespace reprise::plan {

class NaivePlaces {
 public:
  using Place = EditableSchedule::Place;
  static constexpr Place kNever = EditableSchedule::kNever;

  NaivePlaces(const Program& program, const EditableSchedule& edited)
      : program_(&program), edited_(&edited) {
    for (Place place = 0; place < edited.places(); ++place) {
      if (edited.recipe_at(place) != kNoRecipe) {
        replays_[place] = edited.recipe_at(place);
      }
    }
  }

  const std::map<Place, int>& replays() const { return replays_; }
  void insert(Place place, int recipe) { replays_[place] = recipe; }
  void erase(Place place) { replays_.erase(place); }

  std::vector<Place> readings(int value) const {
    std::vector<Place> places;
    for (const auto& [place, recipe] : replays_) {
      if (has(program_->recipes[static_cast<std::size_t>(recipe)].inputs, value)) {
        places.push_back(place);
      }
    }
    for (std::size_t use = 0; use < program_->uses.size(); ++use) {
      if (has(program_->uses[use].needs, value)) {
        places.push_back(edited_->use_place(static_cast<int>(use)));
      }
    }
    std::sort(places.begin(), places.end());
    return places;
  }

  std::vector<Place> productions(int value) const {
    std::vector<Place> places;
    for (const auto& [place, recipe] : replays_) {
      if (has(program_->recipes[static_cast<std::size_t>(recipe)].outputs, value)) {
        places.push_back(place);
      }
    }
    return places;
  }

  EditableSchedule::Stay stay_at(int value, Place place) const {
    EditableSchedule::Stay stay{.ends_before = edited_->places()};
    for (const Place made : productions(value)) {
      if (made < place) {
        stay.made = made;
      } else {
        stay.ends_before = std::min(stay.ends_before, made);
      }
    }
    for (const Place reading : readings(value)) {
      if (reading > stay.made && reading < stay.ends_before) {
        stay.last_reading = reading;
      }
    }
    return stay;
  }

  bool is_read(Place place) const {
    const std::vector<int>& outputs = recipe(place).outputs;
    return std::any_of(outputs.begin(), outputs.end(), [&](int output) {
      return stay_at(output, place + 1).last_reading != kNever;
    });
  }

  // Erases `place`, then, as long as there is any, what was read before and is not any more.
  void erase_with_feeders(Place place) {
    std::vector<Place> were_read;
    for (const auto& [other, recipe] : replays_) {
      if (is_read(other)) {
        were_read.push_back(other);
      }
    }
    replays_.erase(place);
    for (bool is_done = false; !is_done;) {
      is_done = true;
      for (const Place other : were_read) {
        if (replays_.count(other) > 0 && !is_read(other)) {
          replays_.erase(other);
          is_done = false;
        }
      }
    }
  }

  const Recipe& recipe(Place place) const {
    return program_->recipes[static_cast<std::size_t>(replays_.at(place))];
  }

 private:
  static bool has(const std::vector<int>& ids, int id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  }

  const Program* program_;
  const EditableSchedule* edited_;
  std::map<Place, int> replays_;
};

}  // namespace reprise::plan
