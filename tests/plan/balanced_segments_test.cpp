// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/balanced_segments.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/segment_sizes.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

template <class Number>
std::vector<Number> sums(const SegmentPlan& plan, const std::vector<Number>& weights) {
  std::vector<Number> result;
  for (const Segment& segment : plan.segments) {
    result.push_back(std::accumulate(weights.begin() + segment.first,
                                     weights.begin() + segment.last, Number{0}));
  }
  return result;
}

// Tries every cut of [first, weights.size()) into `parts` non-empty parts.
std::int64_t brute_force(const std::vector<std::int64_t>& weights, std::size_t first,
                         std::int64_t parts) {
  if (parts == 1) {
    return std::accumulate(weights.begin() + static_cast<std::ptrdiff_t>(first), weights.end(),
                           std::int64_t{0});
  }
  std::int64_t best = kHuge;
  std::int64_t sum = 0;
  for (std::size_t end = first + 1; end + static_cast<std::size_t>(parts) - 1 <= weights.size();
       ++end) {
    sum += weights[end - 1];
    best = std::min(best, std::max(sum, brute_force(weights, end, parts - 1)));
  }
  return best;
}

struct Problem {
  std::vector<std::int64_t> weights;
  std::int64_t segments = 1;
};

Problem random_problem(unsigned seed) {
  std::mt19937 random(seed);
  Problem problem;
  problem.weights.resize(1 + random() % 9);
  for (std::int64_t& weight : problem.weights) {
    weight = random() % 12;  // zeros and ties are common
  }
  problem.segments = 1 + random() % problem.weights.size();
  return problem;
}

TEST(BalancedByBytes, MinimisesTheLargestSegment) {
  // 7 | 2 5 | 10 8 has 18, 7 2 5 | 10 | 8 has 14: the least that three segments reach.
  EXPECT_THAT(sizes(balanced_by_bytes({7, 2, 5, 10, 8}, 3)), ElementsAre(3, 1, 1));
}

TEST(BalancedByBytes, IsolatesALargeEarlyLayer) {
  EXPECT_EQ(balanced_by_bytes({100, 1, 1, 1, 1}, 2).text(), "0 region, 1-4 plain");
}

TEST(BalancedByBytes, CutsEqualLayersAsEvenlyAsNSegments) {
  EXPECT_EQ(balanced_by_bytes(std::vector<std::int64_t>(10, 7), 4), n_segments(10, 4));
}

TEST(BalancedByBytes, EvensOutWhatTheLargestSegmentLeavesOpen) {
  // The 9 fixes the largest; 1 1 1 | 1 and 1 | 1 1 1 would be as good without the second rule.
  EXPECT_THAT(sizes(balanced_by_bytes({9, 1, 1, 1, 1}, 3)), ElementsAre(1, 2, 2));
}

TEST(BalancedByBytes, MakesTheLastSegmentARegionWhenAsked) {
  EXPECT_EQ(balanced_by_bytes({1, 1, 1}, 3, LastSegment::kRegion).text(),
            "0 region, 1 region, 2 region");
}

TEST(BalancedByBytes, HandlesShortChains) {
  EXPECT_THAT(balanced_by_bytes({}, 3).segments, IsEmpty());
  EXPECT_THAT(sizes(balanced_by_bytes({5, 6}, 3)), ElementsAre(1, 1));
  EXPECT_EQ(balanced_by_bytes({5, 6}, 1).text(), "nothing checkpointed");
  EXPECT_THAT(sizes(balanced_by_bytes({0, 0, 0}, 3)), ElementsAre(1, 1, 1));
}

TEST(BalancedByBytes, RejectsImpossibleInput) {
  EXPECT_THROW(balanced_by_bytes({1, 2}, 0), std::invalid_argument);
  EXPECT_THROW(balanced_by_bytes({1, -2}, 1), std::invalid_argument);
  EXPECT_THROW(balanced_by_bytes({kHuge, 1}, 1), std::invalid_argument);
  EXPECT_THAT(sizes(balanced_by_bytes({kHuge - 1, 1}, 2)), ElementsAre(1, 1));
}

TEST(BalancedByBytes, EqualsBruteForceOnSmallChains) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = random_problem(seed);

    const SegmentPlan plan = balanced_by_bytes(problem.weights, problem.segments);

    ASSERT_EQ(std::ssize(plan.segments), problem.segments);
    EXPECT_EQ(plan.layers(), std::ssize(problem.weights));
    EXPECT_EQ(std::ranges::max(sums(plan, problem.weights)),
              brute_force(problem.weights, 0, problem.segments));
  }
}

TEST(BalancedByBytes, CoversTheChainWithAdjacentSegments) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = random_problem(seed);

    const SegmentPlan plan = balanced_by_bytes(problem.weights, problem.segments);

    EXPECT_EQ(plan.segments.front().first, 0);
    EXPECT_THAT(sizes(plan), testing::Each(testing::Ge(1)));
    EXPECT_TRUE(std::ranges::equal(plan.segments.begin() + 1, plan.segments.end(),
                                   plan.segments.begin(), plan.segments.end() - 1, {},
                                   &Segment::first, &Segment::last));
  }
}

TEST(BalancedByCost, MinimisesTheLargestSegment) {
  EXPECT_THAT(sizes(balanced_by_cost({0.5, 0.5, 3, 1, 2}, 3)), ElementsAre(2, 1, 2));
}

TEST(BalancedByCost, AgreesWithBytesOnWholeNumbers) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = random_problem(seed);
    const std::vector<double> costs(problem.weights.begin(), problem.weights.end());

    EXPECT_EQ(balanced_by_cost(costs, problem.segments),
              balanced_by_bytes(problem.weights, problem.segments));
  }
}

TEST(BalancedByCost, RejectsImpossibleInput) {
  EXPECT_THROW(balanced_by_cost({1, 2}, 0), std::invalid_argument);
  EXPECT_THROW(balanced_by_cost({1, -2}, 1), std::invalid_argument);
  EXPECT_THROW(balanced_by_cost({1, std::numeric_limits<double>::quiet_NaN()}, 1),
               std::invalid_argument);
  EXPECT_THROW(balanced_by_cost({1, std::numeric_limits<double>::infinity()}, 1),
               std::invalid_argument);
}

}  // namespace
}  // namespace reprise::plan
