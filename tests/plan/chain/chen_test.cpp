// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/chen.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/chain/execute.h"
#include "reprise/plan/segments.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ChenRecursion recursion(std::int64_t memory, std::int64_t extra_passes) {
  return {.memory = memory, .extra_passes = extra_passes};
}

// Keeping 1, 2 and 3 states.
std::vector<ChenRecursion> recursions_of(std::int64_t steps) {
  return {chen_recursion(steps, 1), chen_recursion(steps, 2), chen_recursion(steps, 3)};
}

std::vector<Interval> best_of(const std::vector<std::int64_t>& layers) {
  std::vector<Interval> best;
  for (const std::int64_t n : layers) {
    best.push_back(best_interval(n, 1, 1));
  }
  return best;
}

TEST(Chen, NeedsTwiceTheRootOfTheLayersWithoutRecursion) {
  EXPECT_THAT(best_of({16, 64, 100, 256, 1000, 1024}),
              ElementsAre(Interval{4, 8}, Interval{8, 16}, Interval{10, 20}, Interval{16, 32},
                          Interval{28, 64}, Interval{32, 64}));
}

TEST(Chen, NeedsTheLogarithmWithRecursion) {
  EXPECT_THAT(recursions_of(100), ElementsAre(recursion(8, 7), recursion(11, 5), recursion(13, 4)));
  EXPECT_THAT(recursions_of(1000),
              ElementsAre(recursion(11, 10), recursion(15, 7), recursion(16, 5)));
  EXPECT_THAT(recursions_of(1024),
              ElementsAre(recursion(11, 10), recursion(15, 7), recursion(16, 5)));
  EXPECT_EQ(chen_recursion(1, 1), recursion(1, 0));
}

TEST(Chen, CutsEachPartAndTurnsTheLastStepAtOnce) {
  EXPECT_EQ(text(chen_recursive_actions(4, 1)),
            "snapshot 0, advance 0-2, snapshot 2, advance 2-3, snapshot 3, discard 3, turn 3, "
            "restore 2, discard 2, turn 2, restore 0, advance 0-1, snapshot 1, discard 1, turn 1, "
            "restore 0, discard 0, turn 0");
}

TEST(Chen, StaysWithinTheMemoryAndThePassesOfTheRecursion) {
  for (std::int64_t steps = 1; steps <= 80; ++steps) {
    for (std::int64_t kept = 1; kept <= 5; ++kept) {
      SCOPED_TRACE(testing::Message() << steps << " steps, " << kept << " kept");
      const ChenRecursion bound = chen_recursion(steps, kept);
      const ChainCounts counts = execute({.steps = steps, .capacities = {bound.memory}},
                                         chen_recursive_actions(steps, kept));
      EXPECT_LE(counts.advanced_steps, steps * bound.extra_passes);
    }
  }
}

TEST(ChenCut, KeepsTheLayerThatFillsASegment) {
  const ChenCut cut = chen_cut({3, 3, 3, 10, 1, 2}, 5);

  EXPECT_THAT(cut.kept, ElementsAre(1, 3));
  EXPECT_EQ(cut.kept_bytes, 13);
  EXPECT_EQ(cut.largest_segment_bytes, 13);
}

TEST(ChenCut, FindsASegmentNearTheRootOfEqualLayers) {
  const ChenCut cut = best_chen_cut(std::vector<std::int64_t>(100, 7));

  // As good as k = 10 segments gets: 20 layers.
  EXPECT_LE(cut.kept_bytes + cut.largest_segment_bytes, 20 * 7);
}

TEST(ChenCut, IsNeverWorseThanTheFirstGuess) {
  const std::vector<std::int64_t> layers = {90, 4, 70, 1, 1, 55, 30, 2, 8, 120, 3, 3, 60, 9};
  const ChenCut first = chen_cut(layers, 456 / 3.7416573867739413);  // total / sqrt(14)
  const ChenCut best = best_chen_cut(layers);

  EXPECT_LE(best.kept_bytes + best.largest_segment_bytes,
            first.kept_bytes + first.largest_segment_bytes);
}

TEST(Chen, RejectsImpossibleInput) {
  EXPECT_THROW(chen_recursion(0, 1), std::invalid_argument);
  EXPECT_THROW(chen_recursive_actions(5, 0), std::invalid_argument);
  EXPECT_THROW(chen_cut({1, -1}, 3), std::invalid_argument);
  EXPECT_THROW(best_chen_cut({1}, 0), std::invalid_argument);
  EXPECT_THAT(best_chen_cut({}).kept, IsEmpty());
}

}  // namespace
}  // namespace reprise::plan
