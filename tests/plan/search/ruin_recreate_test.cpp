// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/ruin_recreate.h"

#include <algorithm>
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

bool always() { return true; }

TEST(RuinAndRecreate, FindsTheCheaperOfTwoValues) {
  const Program program = chain_of_three();
  Random random(1);
  // Recomputing value 2 fits too, for 20 us instead of 10.
  const Schedule found =
      ruin_and_recreate(program, schedule_of({{.before_use = 1, .recipes = {1}}}),
                        {.budget_bytes = 300, .iterations = 50}, random, always);
  EXPECT_THAT(found.replays, ElementsAre(Replays{.before_use = 2, .recipes = {0}}));
}

TEST(RuinAndRecreate, AsksBeforeEachIterationAndStopsWhenToldTo) {
  const Schedule start = schedule_of({{.before_use = 1, .recipes = {1}}});
  const Program program = chain_of_three();
  Random random(1);
  int asked = 0;
  const Schedule found = ruin_and_recreate(program, start, {.budget_bytes = 300, .iterations = 50},
                                           random, [&] { return ++asked < 1; });
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(found, start);
}

// How often it asks.
int iterations_of(const RuinOptions& options) {
  const Program program = chain_of_three();
  Random random(1);
  int asked = 0;
  ruin_and_recreate(program, schedule_of({{.before_use = 1, .recipes = {1}}}), options, random,
                    [&] { return ++asked > 0; });
  return asked;
}

TEST(RuinAndRecreate, EndsByIterationsOrByWork) {
  EXPECT_EQ(iterations_of({.budget_bytes = 300, .iterations = 50}), 50);
  EXPECT_LT(iterations_of({.budget_bytes = 300, .iterations = 50, .work = 10}), 50);
  EXPECT_EQ(iterations_of({.budget_bytes = 300, .iterations = 0}), 0);
}

TEST(LowerPeak, StopsAtTheFirstScheduleThatFits) {
  const Program program = chain_of_three();
  Random random(1);
  int asked = 0;
  const Schedule found = lower_peak(program, {}, {.budget_bytes = 250, .iterations = 1000}, random,
                                    [&] { return ++asked > 0; });
  EXPECT_EQ(simulate(program, found).peak_bytes, 250);
  EXPECT_LT(asked, 1000);
}

std::vector<std::string> check(unsigned seed) {
  std::mt19937 draw(seed);
  const Program program = random_program(draw, 20);
  const Schedule start = random_schedule(program, seed);
  const Simulation before = simulate(program, start);
  // So hot that it leaves the best again and again.
  const RuinOptions options{
      .budget_bytes = before.peak_bytes, .iterations = 40, .start_temperature = 10};
  Complaints wrong;

  wrong.set_place("ruin_and_recreate");
  Random random(seed);
  const Schedule cheaper = ruin_and_recreate(program, start, options, random, always);
  const Simulation after = simulate(program, cheaper);
  wrong.unless(after.peak_bytes <= before.peak_bytes, "does not fit");
  wrong.unless(after.recompute_us <= before.recompute_us, "dearer");

  wrong.set_place("lower_peak");
  const std::int64_t floor_bytes = peak_floor(program).bytes;
  const Schedule lower =
      lower_peak(program, start, {.budget_bytes = floor_bytes, .iterations = 40}, random, always);
  wrong.unless(simulate(program, lower).peak_bytes <= before.peak_bytes, "a higher peak");

  wrong.set_place("again");
  Random same(seed);
  wrong.unless(ruin_and_recreate(program, start, options, same, always) == cheaper,
               "another schedule");
  return wrong.list();
}

TEST(RuinAndRecreate, KeepsItsPromisesOnRandomPrograms) {
  constexpr unsigned kPrograms = programs(500);
  for (unsigned seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    EXPECT_THAT(check(seed), IsEmpty());
  }
}

}  // namespace
}  // namespace reprise::plan
