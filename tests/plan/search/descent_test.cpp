// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/descent.h"

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
#include "tests/plan/recorded_programs.h"

namespace reprise::plan {
namespace {

using testing::IsEmpty;
using testing::Le;
using testing::SizeIs;

struct Way {
  std::vector<JudgedSchedule> schedules;
  std::int64_t iterations = 0;
  std::int64_t peak_bytes() const { return schedules.front().outcome.peak_bytes; }
};

Way way_down(const Program& program, std::int64_t enough_bytes) {
  Way way;
  way.schedules = descend(program, peak_floor(program).bytes,
                          {.enough_bytes = enough_bytes,
                           .iterations = 48,
                           .work = 1'000'000,
                           .begin_iteration =
                               [&] {
                                 ++way.iterations;
                                 return true;
                               },
                           .go_on = [] { return true; }});
  return way;
}

TEST(Descend, LeavesOffAtTheFirstDraftThatIsLowEnough) {
  const Program program = recorded_program("gpt6");
  const Way way = way_down(program, simulate_keep_all(program).peak_bytes);
  EXPECT_THAT(way.schedules, SizeIs(1));
  EXPECT_EQ(way.iterations, 0);
}

TEST(Descend, ReachesTheFloorOfAProgramThatIsWorkedOutByHand) {
  EXPECT_EQ(way_down(chain_of_three(), 0).peak_bytes(), 250);
}

TEST(Descend, TakesAThirdOfTheIterationsAtMost) {
  // No schedule of this one meets the floor.
  EXPECT_THAT(way_down(recorded_program("unet"), 0).iterations, Le(16));
  EXPECT_GT(way_down(recorded_program("unet"), 0).iterations, 0);
}

TEST(Descend, EndsAtOnceIfItMayNotGoOn) {
  EXPECT_THAT(descend(recorded_program("gpt6"), 0,
                      {.iterations = 48,
                       .work = 1'000'000,
                       .begin_iteration = [] { return false; },
                       .go_on = [] { return false; }}),
              SizeIs(1));
}

// Whether the way for some peak leads there exactly if the whole way does.
std::vector<std::string> check(unsigned seed) {
  std::mt19937 random(seed);
  const Program program = random_program(random, 30);
  const std::int64_t lowest_bytes = way_down(program, 0).peak_bytes();
  Complaints wrong;
  for (const std::int64_t more : {-1, 0, 1, 5, 20}) {
    wrong.set_place(std::to_string(more) + " bytes more than the lowest");
    const Way way = way_down(program, lowest_bytes + more);
    wrong.unless((way.peak_bytes() <= lowest_bytes + more) == (more >= 0), "leads elsewhere");
    for (const JudgedSchedule& schedule : way.schedules) {
      wrong.unless(simulate(program, schedule.schedule).peak_bytes == schedule.outcome.peak_bytes,
                   "another peak");
      wrong.unless(schedule.outcome.peak_bytes >= way.peak_bytes(), "the first is not the lowest");
    }
  }
  return wrong.list();
}

TEST(Descend, IsOneWayWhereverItIsLeft) {
  for (unsigned seed = 1; seed <= programs(100); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    EXPECT_THAT(check(seed), IsEmpty());
  }
}

}  // namespace
}  // namespace reprise::plan
