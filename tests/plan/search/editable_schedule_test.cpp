// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/editable_schedule.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/simulate.h"
#include "tests/plan/chain_program.h"
#include "tests/plan/program_count.h"
#include "tests/plan/random_program.h"
#include "tests/plan/random_schedule.h"
#include "tests/plan/search/naive_places.h"
#include "tests/plan/search/schedule_of.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Place = EditableSchedule::Place;
constexpr Place kNever = EditableSchedule::kNever;

constexpr unsigned kPrograms = programs(500);

TEST(EditableSchedule, KnowsPeakAndCostOfKeepingAll) {
  const Program program = chain_of_three();
  const EditableSchedule edited(program, {}, kSparePlaces);
  // Use C: 100 of its own and three values.
  EXPECT_EQ(edited.peak_bytes(), 400);
  EXPECT_EQ(edited.recompute_us(), 0);
  EXPECT_THAT(edited.schedule().replays, IsEmpty());
}

TEST(EditableSchedule, LaysOutForwardThenReplayPlacesAUseAndItsAfterForEachUse) {
  const Program program = chain_of_three();
  const EditableSchedule edited(program, schedule_of({{.before_use = 1, .recipes = {0, 1}}}),
                                /*spare_places=*/4);
  // 3 ops; 4 + 2 for the first use, 4 + 2 * 2 + 2 for the second, 4 + 2 for the third.
  EXPECT_EQ(edited.places(), 25);
  EXPECT_THAT((std::vector{edited.use_place(0), edited.use_place(1), edited.use_place(2)}),
              ElementsAre(7, 17, 23));
  EXPECT_THAT((std::vector{edited.replay_places_begin(0), edited.replay_places_begin(1),
                           edited.replay_places_begin(2)}),
              ElementsAre(3, 9, 19));
  EXPECT_THAT((std::vector{edited.use_at(2), edited.use_at(3), edited.use_at(8), edited.use_at(9)}),
              ElementsAre(-1, 0, 0, 1));
  EXPECT_THAT((std::vector{edited.is_replay_place(2), edited.is_replay_place(3),
                           edited.is_replay_place(7), edited.is_replay_place(8)}),
              ElementsAre(false, true, false, false));
  EXPECT_THAT(edited.replays(), ElementsAre(11, 13));
  EXPECT_THAT((std::vector{edited.occupied_before(17), edited.occupied_before(13),
                           edited.occupied_before(11)}),
              ElementsAre(13, 11, 8));
}

TEST(EditableSchedule, ReplayingAValueTakesItOffEverythingInBetween) {
  const Program program = chain_of_three();
  EditableSchedule edited(program, {}, kSparePlaces);
  const Place place = edited.use_place(2) - 1;
  edited.insert(place, 0);
  // Use C: 100 + two values; before use A: 50 + the replayed one.
  EXPECT_EQ(edited.peak_bytes(), 300);
  EXPECT_EQ(edited.bytes().at(place), 150);
  EXPECT_EQ(edited.recompute_us(), 10);
  EXPECT_TRUE(edited.is_read(place));
  edited.erase(place);
  EXPECT_EQ(edited.peak_bytes(), 400);
  EXPECT_EQ(edited.recompute_us(), 0);
}

TEST(EditableSchedule, RollsBackToTheVeryCostThatItHad) {
  Program program = chain_of_three();
  program.recipes[1].cost_us = 1e17;  // the 1 us of recipe 0 is lost beside it
  program.recipes[0].cost_us = 1;
  EditableSchedule edited(program, schedule_of({{.before_use = 2, .recipes = {0}}}), kSparePlaces);
  const EditableSchedule::Savepoint savepoint = edited.savepoint();
  edited.insert(edited.use_place(1) - 1, 1);
  edited.roll_back(savepoint);
  EXPECT_EQ(edited.recompute_us(), 1);
}

TEST(EditableSchedule, ErasesTheFeedersThatNobodyElseReads) {
  const Program program = chain_of_three();
  EditableSchedule edited(program, schedule_of({{.before_use = 0, .recipes = {0, 1}}}),
                          kSparePlaces);
  std::vector<Place> places = edited.replays();
  std::sort(places.begin(), places.end());
  edited.erase_with_feeders(places[1]);
  // Use A reads what the first one makes; it stays.
  EXPECT_THAT(edited.replays(), ElementsAre(places[0]));

  EditableSchedule refed(program, schedule_of({{.before_use = 0, .recipes = {0, 1, 0}}}),
                         kSparePlaces);
  places = refed.replays();
  std::sort(places.begin(), places.end());
  refed.erase_with_feeders(places[1]);
  // Use A reads the last one; only the second read the first.
  EXPECT_THAT(refed.replays(), ElementsAre(places[2]));
}

TEST(EditableSchedule, MakesRoomBySpreadingReplayPlacesThatAreTooTight) {
  const Program program = chain_of_three();
  EditableSchedule edited(program, schedule_of({{.before_use = 2, .recipes = {0, 1}}}),
                          /*spare_places=*/0);
  std::vector<Place> free;
  const Place begin = edited.replay_places_begin(2);
  // Four places for the two that are there and two more.
  EXPECT_EQ(edited.make_room(begin + 2, 2, free), begin + 3);
  EXPECT_THAT(free, ElementsAre(begin + 1, begin + 2));
  EXPECT_THAT(edited.schedule().replays, ElementsAre(Replays{.before_use = 2, .recipes = {0, 1}}));
  EXPECT_EQ(edited.make_room(begin + 3, 3, free), kNever);
  EXPECT_THAT(free, IsEmpty());
}

// Random edits of a random program's schedule, each compared with what it should do.
class RandomEdits {
 public:
  RandomEdits(const Program& program, unsigned seed, int spare_places)
      : program_(program),
        draw_(seed),
        edited_(program, random_schedule(program, seed), spare_places),
        naive_(program, edited_) {
    for (std::size_t recipe = 0; recipe < program.recipes.size(); ++recipe) {
      if (program.recipes[recipe].replayable) {
        replayable_.push_back(static_cast<int>(recipe));
      }
    }
    unless(edited_.schedule() == random_schedule(program, seed), "schedule() is another");
  }

  std::vector<std::string> run(int edits) {
    check("at first");
    for (int i = 0; i < edits && wrong_.empty() && !replayable_.empty(); ++i) {
      check(edit() + ", edit " + std::to_string(i));
    }
    return wrong_;
  }

 private:
  int number(int least, int most) { return std::uniform_int_distribution(least, most)(draw_); }
  int any_recipe() {
    return replayable_[static_cast<std::size_t>(
        number(0, static_cast<int>(replayable_.size()) - 1))];
  }
  int any_use() { return number(0, static_cast<int>(program_.uses.size()) - 1); }
  Place any_replay() {
    auto at = naive_.replays().begin();
    std::advance(at, number(0, static_cast<int>(naive_.replays().size()) - 1));
    return at->first;
  }

  void unless(bool holds, const std::string& what) {
    if (!holds) {
      wrong_.push_back(what);
    }
  }

  std::string edit() {
    const int kind = number(1, 100);
    if (kind <= 40) {
      return insert_somewhere();
    }
    if (kind <= 55 && !naive_.replays().empty()) {
      const Place place = any_replay();
      edited_.erase(place);
      naive_.erase(place);
      return "erase";
    }
    if (kind <= 70 && !naive_.replays().empty()) {
      const Place place = any_replay();
      edited_.erase_with_feeders(place);
      naive_.erase_with_feeders(place);
      return "erase_with_feeders";
    }
    if (kind <= 85) {
      return make_room_somewhere();
    }
    if (kind <= 92) {
      saved_.push_back({edited_.savepoint(), naive_, edited_.recompute_us()});
      return "savepoint";
    }
    if (kind <= 98 && !saved_.empty()) {
      return roll_back();
    }
    edited_.forget_journal();
    saved_.clear();
    return "forget_journal";
  }

  std::string insert_somewhere() {
    const int use = any_use();
    const Place begin = edited_.replay_places_begin(use);
    if (begin < edited_.use_place(use)) {
      const Place place = number(begin, edited_.use_place(use) - 1);
      if (edited_.recipe_at(place) == kNoRecipe) {
        insert(place, any_recipe());
      }
    }
    return "insert";
  }

  void insert(Place place, int recipe) {
    edited_.insert(place, recipe);
    naive_.insert(place, recipe);
  }

  std::string make_room_somewhere() {
    const bool at_use = naive_.replays().empty() || number(0, 1) == 0;
    const Place place = at_use ? edited_.use_place(any_use()) : any_replay();
    const int use = edited_.use_at(place);
    const int count = number(1, 5);
    const int recipe = edited_.recipe_at(place);
    const Schedule before = edited_.schedule();
    std::vector<Place> free = {-7};
    const Place moved = edited_.make_room(place, count, free);
    unless(edited_.schedule() == before, "make_room: another order");
    std::map<Place, int> others = naive_.replays();
    naive_ = NaivePlaces(program_, edited_);
    const Place begin = edited_.replay_places_begin(use);
    const Place end = edited_.use_place(use);
    const auto is_of_use = [&](const auto& replay) {
      return replay.first >= begin && replay.first < end;
    };
    if (moved == kNever) {
      const auto held = std::count_if(others.begin(), others.end(), is_of_use);
      unless(held + count > end - begin, "make_room: there was room");
      unless(free.empty() && others == naive_.replays(), "make_room: changes places that are full");
      return "make_room";
    }
    std::map<Place, int> now = naive_.replays();
    std::erase_if(others, is_of_use);
    std::erase_if(now, is_of_use);
    unless(others == now, "make_room: changes other uses");
    unless(edited_.recipe_at(moved) == recipe && edited_.use_at(moved) == use &&
               (at_use ? moved == place : edited_.is_replay_place(moved)),
           "make_room: loses its place");
    unless(static_cast<int>(free.size()) == count, "make_room: another count");
    unless(std::adjacent_find(free.begin(), free.end(), std::greater_equal<>()) == free.end(),
           "make_room: does not ascend");
    unless(edited_.occupied_before(moved) < free.front() && free.front() >= begin &&
               free.back() < moved,
           "make_room: not just before");
    for (const Place place_for : free) {
      if (number(0, 2) > 0) {
        insert(place_for, any_recipe());
      }
    }
    return "make_room";
  }

  std::string roll_back() {
    const auto at = static_cast<std::size_t>(number(0, static_cast<int>(saved_.size()) - 1));
    std::vector<Place> inserted;
    edited_.inserted_since(saved_[at].savepoint, inserted);
    unless(std::is_sorted(inserted.begin(), inserted.end()), "inserted_since: does not ascend");
    for (const auto& [place, recipe] : naive_.replays()) {
      const auto before = saved_[at].places.replays().find(place);
      unless((before != saved_[at].places.replays().end() && before->second == recipe) ||
                 std::binary_search(inserted.begin(), inserted.end(), place),
             "inserted_since: misses one");
    }
    edited_.roll_back(saved_[at].savepoint);
    unless(edited_.recompute_us() == saved_[at].recompute_us, "roll_back: another cost");
    naive_ = saved_[at].places;
    saved_.resize(at + 1, saved_[at]);
    return "roll_back";
  }

  void check(const std::string& when) {
    const std::size_t wrong_before = wrong_.size();
    check_values();
    check_bytes();
    for (std::size_t i = wrong_before; i < wrong_.size(); ++i) {
      wrong_[i] += " after " + when;
    }
  }

  void check_values() {
    for (std::size_t id = 0; id < program_.values.size(); ++id) {
      const int value = static_cast<int>(id);
      if (program_.values[id].external) {
        continue;
      }
      unless(edited_.readings(value) == naive_.readings(value), "readings");
      unless(edited_.productions(value) == naive_.productions(value), "productions");
      const Place place = number(static_cast<int>(program_.ops()), edited_.places() - 1);
      const EditableSchedule::Stay stay = edited_.stay_at(value, place);
      const EditableSchedule::Stay expected = naive_.stay_at(value, place);
      unless(stay.made == expected.made && stay.last_reading == expected.last_reading &&
                 stay.ends_before == expected.ends_before,
             "stay_at");
    }
    for (const auto& [place, recipe] : naive_.replays()) {
      unless(edited_.recipe_at(place) == recipe, "recipe_at");
      unless(edited_.is_read(place) == naive_.is_read(place), "is_read");
    }
    unless(edited_.replay_count() == static_cast<std::int64_t>(naive_.replays().size()),
           "replay_count");
  }

  // Every slot of the simulation is a place, in order; the places between them weigh nothing.
  void check_bytes() {
    const Simulation simulation = simulate(program_, edited_.schedule());
    unless(edited_.peak_bytes() == simulation.peak_bytes, "peak_bytes");
    unless(edited_.recompute_us() == simulation.recompute_us, "recompute_us");
    auto slot = simulation.timeline.begin();
    for (Place place = 0; place < edited_.places(); ++place) {
      if (edited_.is_replay_place(place) && edited_.recipe_at(place) == kNoRecipe) {
        unless(edited_.bytes().at(place) < 0, "bytes of an empty place");
      } else {
        unless(edited_.bytes().at(place) == slot->total_bytes(), "bytes");
        ++slot;
      }
    }
    unless(slot == simulation.timeline.end(), "a place for each slot");
  }

  struct Saved {
    EditableSchedule::Savepoint savepoint;
    NaivePlaces places;
    double recompute_us;
  };

  const Program& program_;
  std::mt19937 draw_;
  EditableSchedule edited_;
  NaivePlaces naive_;
  std::vector<int> replayable_;
  std::vector<Saved> saved_;
  std::vector<std::string> wrong_;
};

TEST(EditableSchedule, AgreesWithTheSimulatorAfterEachOfManyRandomEdits) {
  for (unsigned seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const Program program = random_program(random);
    EXPECT_THAT(RandomEdits(program, seed, /*spare_places=*/static_cast<int>(seed % 7)).run(60),
                IsEmpty());
  }
}

}  // namespace
}  // namespace reprise::plan
