// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/shave.h"

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/peak_floor.h"
#include "reprise/plan/simulate.h"
#include "tests/plan/chain_program.h"
#include "tests/plan/complaints.h"
#include "tests/plan/program_count.h"
#include "tests/plan/random_program.h"
#include "tests/plan/random_schedule.h"
#include "tests/plan/search/schedule_of.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

constexpr unsigned kPrograms = programs(1000);

std::vector<Replays> shaved(const Program& program, std::int64_t budget_bytes) {
  EditableSchedule edited(program, {}, kSparePlaces);
  Random random(1);
  Shaver(edited, random).shave(budget_bytes, {});
  return edited.schedule().replays;
}

TEST(Shave, LeavesAScheduleThatFits) { EXPECT_THAT(shaved(chain_of_three(), 400), IsEmpty()); }

TEST(Shave, RebuildsTheValueThatIsCheapestPerByte) {
  // Value 1 for 10 us before use A rather than value 2 for 20 before use B.
  EXPECT_THAT(shaved(chain_of_three(), 300), ElementsAre(Replays{.before_use = 2, .recipes = {0}}));
}

TEST(Shave, RebuildsInputsToo) {
  // Nothing but value 3 has room at use C. Value 1, made for value 2, has none at use B, and is
  // made once more for use A.
  EXPECT_THAT(shaved(chain_of_three(), 250),
              ElementsAre(Replays{.before_use = 1, .recipes = {0, 1}},
                          Replays{.before_use = 2, .recipes = {0}}));
}

TEST(Shave, LeavesTheScheduleAsItIsOnceItMayNotGoOn) {
  const Program program = chain_of_three();
  EditableSchedule edited(program, {}, kSparePlaces);
  Random random(1);
  EXPECT_FALSE(Shaver(edited, random, [] { return false; }).shave(300, {}));
  EXPECT_EQ(edited.edits(), 0);
}

TEST(Shave, GoesDownAsFarAsItGetsIfThatIsNotEnough) {
  const Program program = chain_of_three();
  EditableSchedule edited(program, {}, kSparePlaces);
  Random random(1);
  EXPECT_FALSE(Shaver(edited, random).shave(200, {}));
  EXPECT_EQ(edited.peak_bytes(), 250);  // what use B needs itself
}

TEST(Shave, CannotRelieveAUseOfWhatItNeedsItself) {
  Program program = chain_of_three();
  program.uses[1].needs = {};
  program.uses[2].needs = {};
  EXPECT_THAT(shaved(program, 199), IsEmpty());
}

TEST(Prune, RemovesWhatNobodyNeedsToFit) {
  Program program = chain_of_three();
  program.uses[1].background_bytes.running = 50;
  EditableSchedule edited(
      program, schedule_of({{.before_use = 1, .recipes = {1}}, {.before_use = 2, .recipes = {0}}}),
      kSparePlaces);
  Random random(1);
  Shaver shaver(edited, random);
  // Either replay alone is enough for 300 bytes: the dearer one goes.
  shaver.prune(300, 0, kAll);
  EXPECT_THAT(edited.schedule().replays, ElementsAre(Replays{.before_use = 2, .recipes = {0}}));
  shaver.prune(400, 0, kAll);
  EXPECT_THAT(edited.schedule().replays, IsEmpty());
}

TEST(Prune, RemovesTheFeedersOfWhatItRemoves) {
  const Program program = chain_of_three();
  EditableSchedule edited(program, schedule_of({{.before_use = 0, .recipes = {0, 1, 2}}}),
                          kSparePlaces);
  Random random(1);
  Shaver(edited, random).prune(1000, 0, kAll);
  EXPECT_THAT(edited.schedule().replays, IsEmpty());
}

TEST(Prune, TriesWhatWasInsertedIfItsSampleIsEmpty) {
  const Program program = chain_of_three();
  EditableSchedule edited(program, schedule_of({{.before_use = 1, .recipes = {1}}}), kSparePlaces);
  edited.insert(edited.use_place(2) - 1, 0);
  Random random(1);
  Shaver(edited, random).prune(1000, 0, /*sample=*/0);
  EXPECT_THAT(edited.schedule().replays, ElementsAre(Replays{.before_use = 1, .recipes = {1}}));
}

// A random program, schedule, budget and options of the shaver.
struct Problem {
  Program program;
  Schedule start;
  std::int64_t budget_bytes = 0;
  ShaveOptions options;
};

Problem make_problem(unsigned seed) {
  std::mt19937 random(seed);
  const auto number = [&](int least, int most) {
    return std::uniform_int_distribution(least, most)(random);
  };
  Problem problem;
  problem.program = random_program(random, 30);
  if (number(0, 1) == 0) {
    problem.start = random_schedule(problem.program, seed);
  }
  const std::int64_t floor_bytes = peak_floor(problem.program).bytes;
  const std::int64_t range = simulate_keep_all(problem.program).peak_bytes - floor_bytes;
  problem.budget_bytes = floor_bytes + range * number(0, 100) / 100;
  problem.options = {.input_fraction = number(0, 2) / 2.0,
                     .noise = number(0, 2) * 1.0,
                     .batch_fraction = number(0, 1) * 0.1,
                     .earlier_uses = number(0, 4)};
  return problem;
}

std::vector<std::string> check(unsigned seed) {
  const Problem problem = make_problem(seed);
  const Program& program = problem.program;
  EditableSchedule edited(program, problem.start, kSparePlaces);
  Random random(seed);
  Shaver shaver(edited, random);
  Complaints wrong;

  const std::int64_t start_peak = edited.peak_bytes();
  const bool fits = shaver.shave(problem.budget_bytes, problem.options);
  const Simulation after_shave = simulate(program, edited.schedule());
  wrong.set_place("shave");
  wrong.unless(after_shave.peak_bytes <= std::max(start_peak, problem.budget_bytes),
               "the peak rose");
  wrong.unless(fits == (after_shave.peak_bytes <= problem.budget_bytes), "fits or does not");
  wrong.unless(edited.peak_bytes() == after_shave.peak_bytes, "another peak");
  wrong.unless(edited.recompute_us() == after_shave.recompute_us, "another cost");

  const std::int64_t limit = std::max(problem.budget_bytes, after_shave.peak_bytes);
  const EditableSchedule::Savepoint shaved = edited.savepoint();
  shaver.prune(problem.budget_bytes, 0, seed % 2 == 0 ? 5 : kAll);
  const Simulation after_prune = simulate(program, edited.schedule());
  wrong.set_place("prune");
  wrong.unless(after_prune.peak_bytes <= limit, "above the limit");
  wrong.unless(after_prune.recompute_us <= after_shave.recompute_us, "dearer");
  wrong.unless(after_prune.replays <= after_shave.replays, "more replays");

  wrong.set_place("roll_back");
  edited.roll_back(shaved);
  wrong.unless(simulate(program, edited.schedule()).peak_bytes == after_shave.peak_bytes &&
                   edited.recompute_us() == after_shave.recompute_us,
               "not where prune began");
  edited.roll_back(0);
  wrong.unless(edited.schedule() == problem.start, "not where shave began");
  return wrong.list();
}

TEST(ShaveAndPrune, KeepTheirPromisesOnRandomPrograms) {
  for (unsigned seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    EXPECT_THAT(check(seed), IsEmpty());
  }
}

std::vector<EditableSchedule::Place> unread_after_prune(unsigned seed) {
  const Problem problem = make_problem(seed);
  EditableSchedule edited(problem.program, problem.start, kSparePlaces);
  Random random(seed);
  Shaver(edited, random).prune(problem.budget_bytes, 0, kAll);
  std::vector<EditableSchedule::Place> unread = edited.replays();
  std::erase_if(unread, [&](EditableSchedule::Place place) { return edited.is_read(place); });
  return unread;
}

TEST(Prune, LeavesNoReplayWithoutAReader) {
  for (unsigned seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    EXPECT_THAT(unread_after_prune(seed), IsEmpty());
  }
}

}  // namespace
}  // namespace reprise::plan
