// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/dtr/cache.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::plan::dtr {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Makes a value of one op that costs 1.
int make(Cache& cache, std::vector<int> inputs, std::int64_t bytes = 1) {
  const int value = cache.add_value(bytes);
  cache.run(cache.add_op({.inputs = std::move(inputs), .outputs = {value}, .cost_us = 1}));
  return value;
}

// Forward and backward of a linear net of unit layers. Returns the replays.
std::int64_t train_linear_net(int layers, std::int64_t budget_bytes, Score score) {
  Cache cache({.budget_bytes = budget_bytes, .score = score});
  std::vector<int> values;
  for (int i = 0; i < layers; ++i) {
    values.push_back(make(cache, i > 0 ? std::vector<int>{values.back()} : std::vector<int>{}));
  }
  cache.release(values.back());
  int gradient = make(cache, {});
  for (int i = layers - 2; i >= 0; --i) {
    cache.release(values[static_cast<std::size_t>(i)]);
    std::vector<int> inputs;
    if (i > 0) {
      inputs.push_back(values[static_cast<std::size_t>(i) - 1]);
    }
    inputs.push_back(gradient);
    const int next = make(cache, inputs);
    cache.release(gradient);
    gradient = next;
  }
  EXPECT_EQ(cache.overruns(), 0);
  EXPECT_FALSE(cache.is_thrashing());
  return cache.replays();
}

// Replays for a budget of ceil(factor * sqrt(layers)) by h_DTR, h_DTR^eq, e* alone, local and LRU.
std::vector<std::int64_t> replays(double factor, int layers) {
  const auto budget_bytes = static_cast<std::int64_t>(std::ceil(factor * std::sqrt(layers)));
  return {train_linear_net(layers, budget_bytes, Score::kDtr),
          train_linear_net(layers, budget_bytes, Score::kEq),
          train_linear_net(layers, budget_bytes, Score::kNeighbourhood),
          train_linear_net(layers, budget_bytes, Score::kLocal),
          train_linear_net(layers, budget_bytes, Score::kLru)};
}

// Counted by an independent simulator. About 0.9 per layer for h_DTR, which is theorem 3.1's O(N);
// without a neighbourhood the count grows faster than the net.
TEST(Cache, ReplaysAsOftenOnLinearNetsAsTheReference) {
  EXPECT_THAT(replays(2, 16), ElementsAre(8, 8, 10, 10, 10));
  EXPECT_THAT(replays(2, 64), ElementsAre(49, 49, 55, 108, 108));
  EXPECT_THAT(replays(2, 144), ElementsAre(120, 120, 144, 390, 390));
  EXPECT_THAT(replays(2, 256), ElementsAre(230, 230, 312, 952, 952));
  EXPECT_THAT(replays(2, 400), ElementsAre(360, 360, 484, 1890, 1890));
  EXPECT_THAT(replays(4, 16), ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(replays(4, 64), ElementsAre(32, 32, 34, 34, 34));
  EXPECT_THAT(replays(4, 144), ElementsAre(96, 96, 98, 150, 150));
  EXPECT_THAT(replays(4, 256), ElementsAre(192, 192, 197, 396, 396));
  EXPECT_THAT(replays(4, 400), ElementsAre(320, 320, 335, 820, 820));
}

TEST(Cache, RebuildsWhatWasEvictedAfterWhatThatReads) {
  Cache cache({.budget_bytes = 2, .score = Score::kLru});
  const int a = make(cache, {});
  const int b = make(cache, {a});
  make(cache, {});
  make(cache, {});  // a and b are gone
  EXPECT_FALSE(cache.is_there(a));
  EXPECT_FALSE(cache.is_there(b));
  cache.use({b}, 0, 1);
  EXPECT_THAT(cache.take_replays(), ElementsAre(0, 1));
  EXPECT_THAT(cache.take_replays(), IsEmpty());
  EXPECT_EQ(cache.recompute_us(), 2);
  EXPECT_LE(cache.used_bytes(), 2);
}

TEST(Cache, NeverEvictsAPinnedValue) {
  Cache cache({.budget_bytes = 2, .score = Score::kLru});
  const int pinned = make(cache, {});
  cache.pin(pinned);
  const int other = make(cache, {});
  make(cache, {});
  EXPECT_TRUE(cache.is_there(pinned));
  EXPECT_FALSE(cache.is_there(other));
}

TEST(Cache, EvictsSmallValuesOnlyWhenNothingLargerCanGo) {
  Cache cache({.budget_bytes = 12, .score = Score::kLru, .minimum_bytes = 3});
  const int small = make(cache, {}, 2);
  const int large = make(cache, {}, 10);
  const int next = make(cache, {}, 10);
  EXPECT_TRUE(cache.is_there(small));
  EXPECT_FALSE(cache.is_there(large));
  cache.pin(next);
  make(cache, {}, 2);
  EXPECT_FALSE(cache.is_there(small));
}

TEST(Cache, EvictsWhatNoUseWantsFirst) {
  Cache cache({.budget_bytes = 3, .score = Score::kLru});
  const int wanted = make(cache, {});
  const int unwanted = make(cache, {});
  cache.release(unwanted);
  cache.use({make(cache, {unwanted})}, 0, 1);  // comes back as an input
  EXPECT_TRUE(cache.is_there(unwanted));
  make(cache, {});
  EXPECT_TRUE(cache.is_there(wanted));
  EXPECT_FALSE(cache.is_there(unwanted));
}

TEST(Cache, KeepsWhatNothingCanBringBack) {
  Cache cache({.budget_bytes = 2, .score = Score::kLru});
  const int found = cache.add_value(1);  // no op makes it
  cache.place(found);
  const int built = make(cache, {found});
  cache.release(found);
  EXPECT_TRUE(cache.is_there(found));
  make(cache, {});
  EXPECT_TRUE(cache.is_there(found));
  EXPECT_FALSE(cache.is_there(built));
}

TEST(Cache, CountsHowOftenRoomCouldNotBeMade) {
  Cache cache({.budget_bytes = 3});
  const int a = make(cache, {}, 2);
  make(cache, {a}, 2);
  EXPECT_EQ(cache.overruns(), 1);
  EXPECT_EQ(cache.used_bytes(), 4);
}

TEST(Cache, ReplacesTheOldInstanceOfAnOutputThatIsStillThere) {
  Cache cache({.budget_bytes = 5, .score = Score::kSize});
  const int large = cache.add_value(3);
  const int small = cache.add_value(1);
  cache.run(cache.add_op({.inputs = {}, .outputs = {large, small}, .cost_us = 1}));
  make(cache, {}, 2);
  EXPECT_FALSE(cache.is_there(large));
  EXPECT_TRUE(cache.is_there(small));
  cache.use({large}, 0, 1);
  EXPECT_EQ(cache.used_bytes(), 4);
}

TEST(Cache, NoticesThatItIsThrashing) {
  Cache cache({.budget_bytes = 2, .score = Score::kLru, .most_replays_per_op = 3});
  const int a = make(cache, {});
  const int b = make(cache, {a});
  const int c = make(cache, {b});
  for (int i = 0; i < 10; ++i) {
    cache.use({a}, 0, 1);
    cache.use({b}, 0, 1);
    cache.use({c}, 0, 1);
  }
  EXPECT_TRUE(cache.is_thrashing());
  EXPECT_EQ(cache.replays(), 10);  // the first beyond 3 per op
}

}  // namespace
}  // namespace reprise::plan::dtr
