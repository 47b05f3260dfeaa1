// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/binomial.h"

#include <limits>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/chain/execute.h"
#include "tests/plan/chain/brute_force.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;

using Row = std::vector<std::int64_t>;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

ChainCounts run(std::int64_t steps, std::int64_t snapshots, Split split) {
  return execute({.steps = steps, .capacities = {snapshots}},
                 revolve_actions(steps, snapshots, split));
}

std::vector<Row> advances_of(const Row& steps, const Row& snapshots) {
  std::vector<Row> table;
  for (const std::int64_t l : steps) {
    Row& row = table.emplace_back();
    for (const std::int64_t s : snapshots) {
      row.push_back(revolve_advances(l, s));
    }
  }
  return table;
}

std::vector<Row> chains_of(const Row& snapshots) {
  std::vector<Row> table;
  for (const std::int64_t s : snapshots) {
    Row& row = table.emplace_back();
    for (std::int64_t r = 0; r <= 7; ++r) {
      row.push_back(longest_chain(s, r));
    }
  }
  return table;
}

// t(l, s) by the recurrence, for l <= most_steps and s <= most_snapshots: [l][s].
std::vector<Row> advances_by_recurrence(std::int64_t most_steps, std::int64_t most_snapshots) {
  std::vector<Row> t(most_steps + 1, Row(most_snapshots + 1, 0));
  for (std::int64_t l = 2; l <= most_steps; ++l) {
    t[l][0] = 1'000'000'000;  // impossible
    for (std::int64_t s = 1; s <= most_snapshots; ++s) {
      t[l][s] = kMost;
      for (std::int64_t i = 1; i < l; ++i) {
        t[l][s] = std::min(t[l][s], i + t[i][s] + t[l - i][s - 1]);
      }
    }
  }
  return t;
}

TEST(Binomial, IsExactWhileItFitsAndSaturatesBeyond) {
  EXPECT_EQ(binomial(5, 2), 10);
  EXPECT_EQ(binomial(7, 0), 1);
  EXPECT_EQ(binomial(62, 31), 465428353255261088);
  EXPECT_EQ(binomial(66, 33), 7219428434016265740);
  EXPECT_EQ(binomial(67, 33), kMost);
  EXPECT_EQ(binomial(kMost, kMost - 1), kMost);
  EXPECT_EQ(binomial(std::int64_t{1} << 31, 2), (std::int64_t{1} << 30) * ((1LL << 31) - 1));
}

TEST(Binomial, RejectsWhatIsNotABinomial) {
  EXPECT_THROW(binomial(3, 4), std::invalid_argument);
  EXPECT_THROW(binomial(3, -1), std::invalid_argument);
}

TEST(Revolve, ReachesTheChainsOfGriewank) {
  EXPECT_THAT(chains_of({1, 2, 3, 4, 5, 8}),
              ElementsAre(ElementsAre(1, 2, 3, 4, 5, 6, 7, 8),            //
                          ElementsAre(1, 3, 6, 10, 15, 21, 28, 36),       //
                          ElementsAre(1, 4, 10, 20, 35, 56, 84, 120),     //
                          ElementsAre(1, 5, 15, 35, 70, 126, 210, 330),   //
                          ElementsAre(1, 6, 21, 56, 126, 252, 462, 792),  //
                          ElementsAre(1, 9, 45, 165, 495, 1287, 3003, 6435)));
}

TEST(Revolve, HasTheClosedFormsAdvances) {
  // Snapshots 1, 2, 3, 4, 5, 6, 7, 8, 10, 20.
  EXPECT_THAT(
      advances_of({5, 10, 20, 50, 100, 250, 1000}, {1, 2, 3, 4, 5, 6, 7, 8, 10, 20}),
      ElementsAre(ElementsAre(10, 6, 5, 4, 4, 4, 4, 4, 4, 4),                      //
                  ElementsAre(45, 20, 15, 14, 13, 12, 11, 10, 9, 9),               //
                  ElementsAre(190, 65, 45, 39, 33, 32, 31, 30, 28, 19),            //
                  ElementsAre(1225, 285, 180, 144, 122, 114, 105, 95, 88, 78),     //
                  ElementsAre(4950, 845, 490, 374, 316, 280, 255, 245, 222, 178),  //
                  ElementsAre(31125, 3479, 1785, 1288, 1040, 920, 835, 780, 672, 497),
                  ElementsAre(499500, 28820, 12155, 7998, 6284, 5284, 4713, 4285, 3636, 2747)));
}

TEST(Revolve, EqualsTheRecurrence) {
  const std::vector<Row> t = advances_by_recurrence(60, 11);
  for (std::int64_t l = 1; l <= 60; ++l) {
    for (std::int64_t s = 1; s <= 11; ++s) {
      SCOPED_TRACE(testing::Message() << l << " steps, " << s << " snapshots");
      EXPECT_EQ(revolve_advances(l, s), t[l][s]);
    }
  }
}

TEST(Revolve, EqualsBruteForceOnShortChains) {
  for (int l = 1; l <= 8; ++l) {
    for (int s = 1; s <= 4; ++s) {
      SCOPED_TRACE(testing::Message() << l << " steps, " << s << " snapshots");
      EXPECT_EQ(static_cast<double>(revolve_advances(l, s)),
                brute_force({.steps = l, .levels = {{.capacity = s}}}));
    }
  }
}

TEST(Revolve, SplitsOptimallyAndTheMaximumIsTheLatestOfAll) {
  const std::vector<Row> t = advances_by_recurrence(60, 11);
  for (std::int64_t l = 2; l <= 60; ++l) {
    for (std::int64_t s = 1; s <= 11; ++s) {
      SCOPED_TRACE(testing::Message() << l << " steps, " << s << " snapshots");
      std::int64_t latest = 0;
      for (std::int64_t i = 1; i < l; ++i) {
        latest = i + t[i][s] + t[l - i][s - 1] == t[l][s] ? i : latest;
      }
      const std::int64_t i = revolve_split(l, s, Split::kRevolve);
      EXPECT_EQ(i + t[i][s] + t[l - i][s - 1], t[l][s]);
      EXPECT_EQ(revolve_split(l, s, Split::kMaximum), latest);
    }
  }
}

TEST(Revolve, ReversesTenStepsWithThreeSnapshots) {
  EXPECT_EQ(text(revolve_actions(10, 3, Split::kMaximum)),
            "snapshot 0, advance 0-4, snapshot 4, advance 4-7, snapshot 7, advance 7-9, turn 9, "
            "restore 7, advance 7-8, turn 8, restore 7, discard 7, turn 7, restore 4, advance 4-5, "
            "snapshot 5, advance 5-6, turn 6, restore 5, discard 5, turn 5, restore 4, discard 4, "
            "turn 4, restore 0, advance 0-1, snapshot 1, advance 1-2, snapshot 2, advance 2-3, "
            "turn 3, restore 2, discard 2, turn 2, restore 1, discard 1, turn 1, restore 0, "
            "discard 0, turn 0");
}

TEST(Revolve, RunsAsManyForwardStepsAsPredicted) {
  EXPECT_EQ(run(10, 3, Split::kMaximum).forward_steps, 25);
  EXPECT_EQ(run(50, 5, Split::kMaximum).forward_steps, 172);
  EXPECT_EQ(run(100, 5, Split::kMaximum).forward_steps, 416);
  EXPECT_EQ(run(100, 5, Split::kRevolve).forward_steps, 416);
}

TEST(Revolve, HasValidSchedulesOfTheLeastCostForEveryShortChain) {
  for (std::int64_t l = 1; l <= 60; ++l) {
    for (std::int64_t s = 1; s <= 11; ++s) {
      SCOPED_TRACE(testing::Message() << l << " steps, " << s << " snapshots");
      EXPECT_EQ(run(l, s, Split::kMaximum).advanced_steps, revolve_advances(l, s));
      EXPECT_EQ(run(l, s, Split::kRevolve).advanced_steps, revolve_advances(l, s));
    }
  }
}

TEST(Revolve, HasValidSchedulesForTheUsualTestSizes) {
  for (const std::int64_t s : {25, 50, 75, 100, 125, 150, 175, 200, 225}) {
    SCOPED_TRACE(s);
    EXPECT_EQ(run(250, s, Split::kRevolve).advanced_steps, revolve_advances(250, s));
    EXPECT_EQ(run(250, s, Split::kMaximum).advanced_steps, revolve_advances(250, s));
  }
}

TEST(Revolve, WritesTheFewestSnapshotsOfAllOptimalSchedules) {
  const std::vector<Row> t = advances_by_recurrence(60, 11);
  // Snapshots written after the first one, by the same recurrence over all optimal splits.
  std::vector<Row> writes(61, Row(12, 0));
  for (std::int64_t l = 2; l <= 60; ++l) {
    for (std::int64_t s = 1; s <= 11; ++s) {
      SCOPED_TRACE(testing::Message() << l << " steps, " << s << " snapshots");
      writes[l][s] = kMost;
      for (std::int64_t i = 1; i < l; ++i) {
        if (i + t[i][s] + t[l - i][s - 1] == t[l][s]) {
          writes[l][s] =
              std::min(writes[l][s], (l - i > 1 ? 1 : 0) + writes[l - i][s - 1] + writes[i][s]);
        }
      }
      EXPECT_EQ(run(l, s, Split::kRevolve).levels[0].writes, 1 + writes[l][s]);
    }
  }
}

TEST(Revolve, TurnsAChainOfOneStepWithoutASnapshot) {
  EXPECT_EQ(text(revolve_actions(1, 1)), "turn 0");
  EXPECT_EQ(revolve_advances(1, 5), 0);
}

TEST(Revolve, AnswersForTwoToTheSixtySteps) {
  constexpr std::int64_t kLong = std::int64_t{1} << 60;
  // One snapshot: every step is reached from the start again, l (l - 1) / 2 > 2^63 advances.
  EXPECT_EQ(revolve_repeats(kLong, 1), kLong - 1);
  EXPECT_EQ(revolve_advances(kLong, 1), kMost);
  EXPECT_EQ(revolve_split(kLong, 1, Split::kRevolve), kLong - 1);
  // As many snapshots as steps: one sweep.
  EXPECT_EQ(revolve_repeats(kLong, kLong), 1);
  EXPECT_EQ(revolve_advances(kLong, kLong), kLong - 1);
  EXPECT_EQ(revolve_split(kLong, kLong, Split::kMaximum), 1);
  // beta(31, 32) = binomial(63, 31) = 916312070471295267 < 2^60 <= binomial(64, 31).
  EXPECT_EQ(longest_chain(31, 32), 916312070471295267);
  EXPECT_EQ(revolve_repeats(kLong, 31), 33);
  // The right part is as long as 30 snapshots reach with 32 repeats: binomial(62, 30).
  EXPECT_EQ(revolve_split(kLong, 31, Split::kMaximum), kLong - 450883717216034179);
}

TEST(Revolve, SplitsALongChainWithoutLosingAStep) {
  // Short enough for all advances to fit 64 bits.
  constexpr std::int64_t kLong = std::int64_t{1} << 57;
  const std::int64_t first = revolve_split(kLong, 31, Split::kRevolve);
  const std::int64_t last = revolve_split(kLong, 31, Split::kMaximum);

  EXPECT_EQ(first + revolve_advances(first, 31) + revolve_advances(kLong - first, 30),
            revolve_advances(kLong, 31));
  EXPECT_EQ(last + revolve_advances(last, 31) + revolve_advances(kLong - last, 30),
            revolve_advances(kLong, 31));
}

TEST(Revolve, RejectsImpossibleInput) {
  EXPECT_THROW(revolve_advances(0, 1), std::invalid_argument);
  EXPECT_THROW(revolve_advances(5, 0), std::invalid_argument);
  EXPECT_THROW(revolve_split(1, 1, Split::kRevolve), std::invalid_argument);
  EXPECT_THROW(revolve_actions(5, 0), std::invalid_argument);
  EXPECT_THROW(longest_chain(-1, 2), std::invalid_argument);
}

}  // namespace
}  // namespace reprise::plan
