// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/segments.h"

#include <functional>
#include <limits>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/segment_sizes.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(SegmentPlan, PrintsEachSegmentWithItsLayersAndItsKind) {
  const SegmentPlan plan{.segments = {{0, 3, true}, {3, 4, true}, {4, 6, false}}};

  EXPECT_EQ(plan.text(), "0-2 region, 3 region, 4-5 plain");
  EXPECT_EQ(plan.layers(), 6);
  EXPECT_EQ(plan.regions(), 2);
}

TEST(SegmentPlan, SaysThatNothingIsCheckpointedWithoutRegions) {
  EXPECT_EQ(SegmentPlan{}.text(), "nothing checkpointed");
  EXPECT_EQ(SegmentPlan{}.layers(), 0);
  EXPECT_EQ(all_plain(3).text(), "nothing checkpointed");
}

TEST(AllPlain, CoversTheChainWithOnePlainSegment) {
  EXPECT_THAT(all_plain(3).segments, ElementsAre(Segment{0, 3, false}));
  EXPECT_THAT(all_plain(0).segments, IsEmpty());
}

TEST(EveryK, CoversKConsecutiveLayersWithOneSegment) {
  EXPECT_THAT(every_k(5, 2).segments,
              ElementsAre(Segment{0, 2, true}, Segment{2, 4, true}, Segment{4, 5, false}));
}

TEST(EveryK, MakesARegionPerLayerForOne) {
  EXPECT_EQ(every_k(3, 1, LastSegment::kRegion).text(), "0 region, 1 region, 2 region");
  EXPECT_EQ(every_k(3, 1).text(), "0 region, 1 region, 2 plain");
}

TEST(EveryK, LeavesNoShortSegmentWhenDivisible) {
  EXPECT_THAT(sizes(every_k(6, 3)), ElementsAre(3, 3));
}

TEST(EveryK, CheckpointsNothingWhenOneSegmentCoversTheChain) {
  EXPECT_EQ(every_k(3, 3).text(), "nothing checkpointed");
  EXPECT_EQ(every_k(3, 4).text(), "nothing checkpointed");
  EXPECT_THAT(sizes(every_k(3, kHuge)), ElementsAre(3));
  EXPECT_EQ(every_k(3, 4, LastSegment::kRegion).text(), "0-2 region");
}

TEST(EveryK, PlansNothingForNoLayers) { EXPECT_THAT(every_k(0, 2).segments, IsEmpty()); }

TEST(EveryK, RejectsImpossibleNumbers) {
  EXPECT_EQ(message_of([] { every_k(4, 0); }), "every_k: k must be at least 1, got 0");
  EXPECT_EQ(message_of([] { every_k(-1, 2); }), "every_k: layers must be at least 0, got -1");
}

TEST(NSegments, DiffersInSizeByAtMostOneWithTheLargerFirst) {
  EXPECT_THAT(sizes(n_segments(10, 4)), ElementsAre(3, 3, 2, 2));
  EXPECT_THAT(sizes(n_segments(9, 5)), ElementsAre(2, 2, 2, 2, 1));
}

TEST(NSegments, LeavesTheLastSegmentPlainUnlessAsked) {
  EXPECT_EQ(n_segments(10, 4).text(), "0-2 region, 3-5 region, 6-7 region, 8-9 plain");
  EXPECT_EQ(n_segments(10, 4, LastSegment::kRegion).text(),
            "0-2 region, 3-5 region, 6-7 region, 8-9 region");
}

TEST(NSegments, CutsADivisibleChainEvenly) {
  EXPECT_THAT(sizes(n_segments(9, 3)), ElementsAre(3, 3, 3));
}

TEST(NSegments, GivesEachLayerASegmentWhenThereAreFewerLayers) {
  EXPECT_EQ(n_segments(3, 5).text(), "0 region, 1 region, 2 plain");
}

TEST(NSegments, CheckpointsNothingInOneSegmentUnlessAsked) {
  EXPECT_EQ(n_segments(9, 1).text(), "nothing checkpointed");
  EXPECT_EQ(n_segments(9, 1, LastSegment::kRegion).text(), "0-8 region");
}

TEST(NSegments, PlansNothingForNoLayers) {
  EXPECT_THAT(n_segments(0, 5).segments, IsEmpty());
  EXPECT_EQ(n_segments(0, 5, LastSegment::kRegion).text(), "nothing checkpointed");
}

TEST(NSegments, RejectsImpossibleNumbers) {
  EXPECT_EQ(message_of([] { n_segments(4, 0); }), "n_segments: segments must be at least 1, got 0");
  EXPECT_EQ(message_of([] { n_segments(-2, 1); }), "n_segments: layers must be at least 0, got -2");
}

TEST(SqrtSegments, TakesTheRootOfASquare) {
  EXPECT_THAT(sizes(sqrt_segments(16)), ElementsAre(4, 4, 4, 4));
  EXPECT_EQ(sqrt_segments(16).regions(), 3);
  EXPECT_EQ(sqrt_segments(16, LastSegment::kRegion).regions(), 4);
}

TEST(SqrtSegments, RoundsTheRootUp) {
  EXPECT_THAT(sizes(sqrt_segments(17)), ElementsAre(4, 4, 3, 3, 3));
  EXPECT_THAT(sizes(sqrt_segments(12)), ElementsAre(3, 3, 3, 3));
  EXPECT_THAT(sizes(sqrt_segments(2)), ElementsAre(1, 1));
}

TEST(SqrtSegments, HandlesTheSmallestChains) {
  EXPECT_EQ(sqrt_segments(1).text(), "nothing checkpointed");
  EXPECT_THAT(sqrt_segments(0).segments, IsEmpty());
  EXPECT_THROW(sqrt_segments(-1), std::invalid_argument);
}

// Chen et al. 2016: the least k + ceil(n / k) of a chain of unit layers.
TEST(BestInterval, FindsTheKnownOptimaOfUnitChains) {
  EXPECT_EQ(best_interval(16, 1, 1), (Interval{.k = 4, .bytes = 8}));
  EXPECT_EQ(best_interval(64, 1, 1), (Interval{.k = 8, .bytes = 16}));
  EXPECT_EQ(best_interval(100, 1, 1), (Interval{.k = 10, .bytes = 20}));
  EXPECT_EQ(best_interval(256, 1, 1), (Interval{.k = 16, .bytes = 32}));
  EXPECT_EQ(best_interval(1000, 1, 1), (Interval{.k = 28, .bytes = 64}));
  EXPECT_EQ(best_interval(1024, 1, 1), (Interval{.k = 32, .bytes = 64}));
}

TEST(BestInterval, WeighsUnequalSizes) {
  // k: 1 -> 12 + 34, 2 -> 6 + 68, ...: a layer is 34 times its input, as in a transformer block.
  EXPECT_EQ(best_interval(12, 1, 34), (Interval{.k = 1, .bytes = 46}));
  // k: 3 -> 4 * 9 + 3 = 39, 4 -> 3 * 9 + 4 = 31, 6 -> 2 * 9 + 6 = 24, 12 -> 9 + 12 = 21.
  EXPECT_EQ(best_interval(12, 9, 1), (Interval{.k = 12, .bytes = 21}));
  // k: 5 -> 2 * 4 + 5 = 13, 4 -> 3 * 4 + 4 = 16, 6 -> 2 * 4 + 6 = 14, 10 -> 4 + 10 = 14.
  EXPECT_EQ(best_interval(10, 4, 1), (Interval{.k = 5, .bytes = 13}));
}

TEST(BestInterval, PrefersTheSmallerOfEqualIntervals) {
  // k: 1 -> 2 + 1, 2 -> 1 + 2.
  EXPECT_EQ(best_interval(2, 1, 1), (Interval{.k = 1, .bytes = 3}));
  EXPECT_EQ(best_interval(5, 0, 0), (Interval{.k = 1, .bytes = 0}));
}

TEST(BestInterval, NeedsNothingForNoLayers) {
  EXPECT_EQ(best_interval(0, 7, 7), (Interval{.k = 1, .bytes = 0}));
}

TEST(BestInterval, RejectsNegativeAndOverflowingSizes) {
  EXPECT_THROW(best_interval(-1, 1, 1), std::invalid_argument);
  EXPECT_THROW(best_interval(4, -1, 1), std::invalid_argument);
  EXPECT_THROW(best_interval(4, 1, -1), std::invalid_argument);
  EXPECT_THROW(best_interval(4, kHuge / 4, 1), std::invalid_argument);
  EXPECT_THROW(best_interval(4, 0, kHuge / 4 + 1), std::invalid_argument);
  EXPECT_EQ(best_interval(4, 0, kHuge / 4), (Interval{.k = 1, .bytes = kHuge / 4}));
}

TEST(BestK, CutsTheChainAtTheBestInterval) {
  EXPECT_THAT(sizes(best_k(10, 4, 1)), ElementsAre(5, 5));
  EXPECT_EQ(best_k(10, 4, 1).regions(), 1);
  EXPECT_EQ(best_k(10, 4, 1, LastSegment::kRegion).regions(), 2);
  EXPECT_THAT(best_k(0, 4, 1).segments, IsEmpty());
}

TEST(FromSequenceLength, SwitchesThePolicyOnAtTheThreshold) {
  const SegmentPlan plan = every_k(4, 2);

  EXPECT_EQ(from_sequence_length(plan, 1024, 1024), plan);
  EXPECT_EQ(from_sequence_length(plan, 2048, 1024), plan);
  EXPECT_EQ(from_sequence_length(plan, 1023, 1024), all_plain(4));
}

TEST(FromSequenceLength, KeepsAnEmptyPlanEmpty) {
  EXPECT_THAT(from_sequence_length({}, 1, 2).segments, IsEmpty());
}

TEST(FromSequenceLength, RejectsNegativeLengths) {
  EXPECT_THROW(from_sequence_length(every_k(4, 2), -1, 0), std::invalid_argument);
  EXPECT_THROW(from_sequence_length(every_k(4, 2), 0, -1), std::invalid_argument);
}

}  // namespace
}  // namespace reprise::plan
