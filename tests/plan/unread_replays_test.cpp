// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/unread_replays.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/simulate.h"
#include "tests/plan/chain_program.h"
#include "tests/plan/random_program.h"
#include "tests/plan/random_schedule.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(WithoutUnread, LeavesOutWhatNoLaterUseNeeds) {
  // Use 1 needs value 2 (recipe 1), use 2 value 1 (recipe 0).
  EXPECT_THAT(without_unread(chain_of_three(), {{.before_use = 1, .recipes = {0, 1, 2}},
                                                {.before_use = 2, .recipes = {0, 1}}}),
              ElementsAre(Replays{.before_use = 1, .recipes = {0, 1}},
                          Replays{.before_use = 2, .recipes = {0}}));
}

TEST(WithoutUnread, LeavesOutWhatIsMadeAgainBeforeItIsRead) {
  EXPECT_THAT(without_unread(chain_of_three(), {{.before_use = 0, .recipes = {0}},
                                                {.before_use = 1, .recipes = {0, 0}},
                                                {.before_use = 2, .recipes = {0}}}),
              ElementsAre(Replays{.before_use = 2, .recipes = {0}}));
}

TEST(WithoutUnread, LeavesOutWhatOnlyAnUnreadReplayReads) {
  EXPECT_THAT(without_unread(chain_of_three(), {{.before_use = 2, .recipes = {1, 2}}}), IsEmpty());
}

TEST(WithoutUnread, MakesNoRandomScheduleSlowerOrHigher) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Program program = random_program(random);
    Schedule schedule = random_schedule(program, seed);
    const Simulation before = simulate(program, schedule);
    schedule.replays = without_unread(program, schedule.replays);
    const Simulation after = simulate(program, schedule);
    EXPECT_LE(after.peak_bytes, before.peak_bytes);
    EXPECT_LE(after.recompute_us, before.recompute_us);
    EXPECT_EQ(without_unread(program, schedule.replays), schedule.replays);
  }
}

}  // namespace
}  // namespace reprise::plan
