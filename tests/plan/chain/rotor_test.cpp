// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/rotor.h"

#include <stdexcept>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/chain/binomial.h"
#include "reprise/plan/chain/execute.h"
#include "tests/plan/chain/chains.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::StartsWith;

// Budget, time of the plan, time of the fastest plan of all: wherever one of the times changes.
using Row = std::tuple<std::int64_t, double, double>;

std::vector<Row> rows_of(const Chain& chain, std::int64_t largest_budget,
                         std::int64_t first_budget = 1, std::int64_t step = 1) {
  const RotorTable table(chain, largest_budget, largest_budget);
  std::vector<Row> rows;
  for (std::int64_t budget = first_budget; budget <= largest_budget; budget += step) {
    const std::optional<RotorPlan> plan = table.plan(budget);
    const Row row{budget, plan ? plan->usage.time_us : kNever, fastest_us(chain, budget)};
    const bool is_possible = std::get<2>(row) < kNever;
    if (is_possible && (rows.empty() || std::get<1>(row) != std::get<1>(rows.back()) ||
                        std::get<2>(row) != std::get<2>(rows.back()))) {
      rows.push_back(row);
    }
  }
  return rows;
}

Chain uniform_chain(std::size_t stages) {
  return {.input_bytes = 1,
          .stages = std::vector<Stage>(
              stages, {.forward_us = 1,
                       .output_bytes = 1,
                       .options = {{.forward_us = 1, .backward_us = 2, .saved_bytes = 2}}})};
}

TEST(Rotor, HasTheTimesOfSixEqualStages) {
  EXPECT_THAT(rows_of(uniform6(), 15),
              ElementsAre(Row{6, 33, 33}, Row{7, 26, 25}, Row{8, 23, 23}, Row{9, 22, 21},
                          Row{10, 21, 21}, Row{11, 21, 20}, Row{12, 20, 20}, Row{13, 20, 19},
                          Row{14, 19, 19}, Row{15, 18, 18}));
}

TEST(Rotor, HasTheTimesOfFiveUnequalStages) {
  EXPECT_THAT(rows_of(hetero5(), 26),
              ElementsAre(Row{14, 58, 57}, Row{15, 54, 54}, Row{16, 50, 50}, Row{17, 47, 47},
                          Row{18, 46, 46}, Row{20, 46, 45}, Row{22, 46, 44}, Row{23, 44, 43},
                          Row{24, 43, 43}, Row{26, 42, 42}));
}

TEST(Rotor, HasTheTimesOfSixShrinkingStages) {
  // Even budgets: no sum of its sizes that matters is odd.
  EXPECT_THAT(rows_of(pyramid6(), 78, 50, 2),
              ElementsAre(Row{52, 46, 46}, Row{54, 45, 45}, Row{60, 44, 43}, Row{62, 43, 43},
                          Row{68, 42, 42}, Row{70, 41, 41}, Row{76, 40, 40}, Row{78, 39, 39}));
}

TEST(Rotor, HasTheTimesOfCheapStagesWithBigRecords) {
  EXPECT_THAT(rows_of(cheapbig5(), 58),
              ElementsAre(Row{28, 95, 95}, Row{29, 94, 76}, Row{32, 84, 76}, Row{33, 75, 74},
                          Row{34, 75, 65}, Row{37, 74, 65}, Row{42, 65, 65}, Row{46, 65, 64},
                          Row{50, 64, 64}, Row{58, 63, 63}));
}

TEST(Rotor, KnowsTheLeastBudgetOfAChain) {
  EXPECT_EQ(plan_rotor(uniform6(), 0).minimum_bytes, 6);
  EXPECT_EQ(plan_rotor(hetero5(), 13).minimum_bytes, 14);
  EXPECT_EQ(plan_rotor(hetero5(), 13).plan, std::nullopt);
  EXPECT_EQ(plan_rotor(pyramid6(), 0).minimum_bytes, 52);
  EXPECT_EQ(plan_rotor(cheapbig5(), 0).minimum_bytes, 28);
}

TEST(Rotor, KeepsEverythingIfThatFits) {
  const RotorAnswer answer = plan_rotor(chain_of({.forward_us = {3, 4},
                                                  .backward_us = {6, 8},
                                                  .state_bytes = {1, 2, 3},
                                                  .record_bytes = {5, 7}}),
                                        100);

  EXPECT_EQ(text(answer.plan->actions),
            "snapshot 0, record 0 in level 0, record 1 in level 0, record 2 in level 0, "
            "reverse 2 in level 0, reverse 1 in level 0, reverse 0 in level 0, discard 0");
  EXPECT_EQ(answer.plan->usage.time_us, 21);
  // Backward of stage 1: input 1, records 5 + 7, gradients 3 + 2.
  EXPECT_EQ(answer.plan->usage.peak_bytes, 18);
}

TEST(Rotor, RecomputesWhatDoesNotFit) {
  // Without the record of stage 0 while stage 1 is reversed: 1 + 2 + 7 + 3 + 2.
  const RotorAnswer answer = plan_rotor(chain_of({.forward_us = {3, 4},
                                                  .backward_us = {6, 8},
                                                  .state_bytes = {1, 2, 3},
                                                  .record_bytes = {5, 7}}),
                                        17);

  EXPECT_EQ(
      text(answer.plan->actions),
      "snapshot 0, advance 0-1, snapshot 1, record 1 in level 0, record 2 in level 0, "
      "reverse 2 in level 0, reverse 1 in level 0, discard 1, restore 0, record 0 in level 0, "
      "reverse 0 in level 0, discard 0");
  EXPECT_EQ(answer.plan->usage.time_us, 24);
  EXPECT_EQ(answer.plan->usage.peak_bytes, 15);
}

TEST(Rotor, TakesTheOptionThatFits) {
  Chain chain = uniform_chain(1);
  chain.stages[0].options = {{.forward_us = 1, .backward_us = 2, .saved_bytes = 9},
                             {.forward_us = 1, .backward_us = 3, .saved_bytes = 4},
                             {.forward_us = 5, .backward_us = 3, .saved_bytes = 1}};
  const RotorTable table(chain, 20, 20);

  // Input, record, both gradients.
  EXPECT_EQ(table.plan(12)->usage.time_us, 3);
  EXPECT_EQ(table.plan(11)->usage.time_us, 4);
  EXPECT_EQ(table.plan(7)->usage.time_us, 4);
  EXPECT_EQ(table.plan(6)->usage.time_us, 8);
  EXPECT_THAT(text(table.plan(6)->actions),
              StartsWith("snapshot 0, record 0 in level 0 by option 2"));
  EXPECT_EQ(table.plan(3), std::nullopt);
}

TEST(Rotor, EqualsTheRecurrenceOnSmallChainsWithOptions) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    const Chain chain = random_chain(seed, 6);
    const RotorTable table(chain, 60, 60);
    for (std::int64_t budget = 0; budget <= 60; budget += 3) {
      SCOPED_TRACE(budget);
      const std::optional<RotorPlan> plan = table.plan(budget);
      EXPECT_EQ(plan ? plan->usage.time_us : kNever, persistent_us(chain, budget));
      EXPECT_LE(plan ? plan->usage.peak_bytes : 0, budget);
    }
  }
}

TEST(Rotor, NeverBeatsTheFastestPlanOfAll) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Chain chain = random_chain(seed, 4);
    for (Stage& stage : chain.stages) {
      stage.options.resize(1);
    }
    const RotorTable table(chain, 60, 60);
    for (std::int64_t budget = table.minimum_bytes(); budget <= 60; budget += 6) {
      SCOPED_TRACE(budget);
      EXPECT_GE(table.plan(budget)->usage.time_us, fastest_us(chain, budget));
    }
  }
}

TEST(Rotor, StaysWithinTheBudgetAndAboveTheExactTimeInCoarseUnits) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const Chain chain = random_chain(seed, 6);
    for (const std::int64_t budget : {10, 25, 40, 55}) {
      for (const std::int64_t resolution : {1, 4, 11}) {
        SCOPED_TRACE(testing::Message() << budget << " bytes in " << resolution << " units");
        const RotorAnswer answer = plan_rotor(chain, budget, resolution);
        EXPECT_EQ(answer.plan.has_value(), budget >= answer.minimum_bytes);
        EXPECT_LE(answer.plan ? answer.plan->usage.peak_bytes : 0, budget);
        EXPECT_GE(answer.plan ? answer.plan->usage.time_us : kNever, persistent_us(chain, budget));
      }
    }
  }
}

TEST(Rotor, IsExactInAUnitThatDividesAllSizes) {
  constexpr std::int64_t kMib = 1 << 20;
  Chain chain = hetero5();
  chain.input_bytes *= kMib;
  for (Stage& stage : chain.stages) {
    stage.output_bytes *= kMib;
    stage.options[0].saved_bytes *= kMib;
  }
  const RotorTable table(chain, 17 * kMib, 15);

  EXPECT_EQ(table.unit_bytes(), kMib);
  EXPECT_EQ(table.minimum_bytes(), 14 * kMib);
  EXPECT_EQ(table.plan(17 * kMib)->usage.time_us, 47);
  EXPECT_EQ(table.plan(15 * kMib)->usage.time_us, 54);
  EXPECT_EQ(table.plan(14 * kMib)->usage.peak_bytes, 14 * kMib);
  EXPECT_EQ(table.plan(14 * kMib - 1), std::nullopt);
}

TEST(Rotor, MeetsTheLeastBudgetWhereTheUnitsHideIt) {
  // hetero5 in thousands, one size not: in units of 1867 bytes no plan fits the least budget.
  Chain chain = hetero5();
  chain.input_bytes *= 1000;
  for (Stage& stage : chain.stages) {
    stage.output_bytes *= 1000;
    stage.options[0].saved_bytes *= 1000;
  }
  chain.stages[0].options[0].saved_bytes += 1;
  const RotorTable table(chain, 30'000, 15);

  EXPECT_EQ(table.unit_bytes(), 1867);
  EXPECT_EQ(table.minimum_bytes(), 14'001);
  EXPECT_EQ(table.plan(14'001)->usage.peak_bytes, 14'001);
  EXPECT_EQ(table.plan(14'000), std::nullopt);
}

TEST(Rotor, PlansAHundredUnequalStagesInFiveHundredUnits) {
  Chain chain{.input_bytes = 1000, .stages = {}};
  for (int i = 0; i < 100; ++i) {
    const std::int64_t bytes = 1000 + 37 * (i * i % 101);
    chain.stages.push_back(
        {.forward_us = 1.0 + i % 7,
         .output_bytes = bytes,
         .options = {
             {.forward_us = 1.0 + i % 7, .backward_us = 2.0 + i % 5, .saved_bytes = 3 * bytes}}});
  }
  const RotorAnswer answer = plan_rotor(chain, 200'000, 500);

  EXPECT_LE(answer.plan->usage.peak_bytes, 200'000);
  // A third of all records fits, so little more than one more forward run of all stages is needed.
  EXPECT_GT(answer.plan->usage.time_us, plain_us(chain));
  EXPECT_LT(answer.plan->usage.time_us, plain_us(chain) + 400);
}

TEST(Rotor, SharesTheTableBetweenEqualParts) {
  Chain chain = uniform_chain(500);
  const RotorTable table(chain, 100, 100);
  chain.stages[499].forward_us = 7;  // parts with the last stage differ from those without

  EXPECT_EQ(table.distinct_parts(), 500);
  EXPECT_EQ(RotorTable(chain, 100, 10).distinct_parts(), 499 + 500);
  EXPECT_EQ(RotorTable(hetero5(), 14, 14).distinct_parts(), 6 * 7 / 2);
  const std::optional<RotorPlan> plan = table.plan(100);
  EXPECT_LE(plan->usage.peak_bytes, 100);
  EXPECT_GT(plan->usage.time_us, 3 * 500);
}

TEST(Rotor, TakesNoMoreTimeThanRevolveOnEqualStages) {
  // A record as large as a state and no gradients to speak of: rotor may also keep records.
  Chain chain{.input_bytes = 0, .stages = {}};
  for (int i = 0; i < 30; ++i) {
    chain.stages.push_back({.forward_us = 1,
                            .output_bytes = 1,
                            .options = {{.forward_us = 1, .backward_us = 1, .saved_bytes = 1}}});
  }
  const RotorTable table(chain, 20, 20);
  for (std::int64_t snapshots = 1; snapshots <= 10; ++snapshots) {
    SCOPED_TRACE(snapshots);
    // Beside the snapshots: the record and two gradients, or two states and a gradient.
    EXPECT_LE(table.plan(snapshots + 3)->usage.time_us,
              static_cast<double>(60 + revolve_advances(30, snapshots)));
  }
}

TEST(Rotor, RejectsImpossibleInput) {
  EXPECT_THROW(plan_rotor({}, 10), std::invalid_argument);
  EXPECT_THROW(plan_rotor(uniform6(), -1), std::invalid_argument);
  EXPECT_THROW(plan_rotor(uniform6(), 10, 0), std::invalid_argument);
  EXPECT_THROW(RotorTable(uniform6(), 10).plan(11), std::invalid_argument);
  Chain chain = uniform6();
  chain.stages[2].options[0].saved_bytes = 0;
  EXPECT_THROW(plan_rotor(chain, 10), std::invalid_argument);
}

}  // namespace
}  // namespace reprise::plan
