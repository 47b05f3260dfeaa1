// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/generator_states.h"

#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise::tape {
namespace {

using support::bitwise_equal;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t kStateBytes = 16;

at::Tensor state_of_bytes(std::int64_t value) {
  return torch::full({kStateBytes}, value, torch::kByte);
}

TEST(GeneratorStates, GiveTheStateBeforeAnOp) {
  GeneratorStates states;
  states.add(2, state_of_bytes(20));
  states.add(5, state_of_bytes(50));

  EXPECT_TRUE(bitwise_equal(states.before(2), state_of_bytes(20)));
  EXPECT_TRUE(bitwise_equal(states.before(5), state_of_bytes(50)));
}

TEST(GeneratorStates, AreUndefinedBeforeAnOpThatDrewNothing) {
  GeneratorStates states;
  EXPECT_FALSE(states.before(0).defined());
  states.add(2, state_of_bytes(20));

  EXPECT_FALSE(states.before(1).defined());
  EXPECT_FALSE(states.before(3).defined());
}

TEST(GeneratorStates, AreKeptOnceForOpsInARowThatHaveTheSame) {
  GeneratorStates states;
  states.add(0, state_of_bytes(1));
  states.add(1, state_of_bytes(1));
  states.add(2, state_of_bytes(2));
  states.add(3, state_of_bytes(2));

  EXPECT_TRUE(states.before(1).is_same(states.before(0)));
  EXPECT_TRUE(states.before(3).is_same(states.before(2)));
  EXPECT_EQ(states.most_bytes(), 2 * kStateBytes);
}

TEST(GeneratorStates, AreForgottenFromAnOpOn) {
  GeneratorStates states;
  states.add(0, state_of_bytes(1));
  states.add(4, state_of_bytes(2));
  states.add(6, state_of_bytes(3));

  EXPECT_TRUE(states.forget_from(4));
  EXPECT_TRUE(states.before(0).defined());
  EXPECT_FALSE(states.before(4).defined());
  EXPECT_FALSE(states.before(6).defined());
}

TEST(GeneratorStates, SayThatThereWasNothingToForget) {
  GeneratorStates states;
  EXPECT_FALSE(states.forget_from(0));
  states.add(3, state_of_bytes(1));

  EXPECT_FALSE(states.forget_from(4));
  EXPECT_TRUE(states.before(3).defined());
}

TEST(GeneratorStates, CountTheMostBytesAtOnce) {
  GeneratorStates states;
  states.add(0, state_of_bytes(1));
  states.add(1, state_of_bytes(2));
  states.forget_from(1);
  states.add(2, state_of_bytes(3));
  EXPECT_EQ(states.most_bytes(), 2 * kStateBytes);
  states.add(3, state_of_bytes(4));

  EXPECT_EQ(states.most_bytes(), 3 * kStateBytes);
}

TEST(GeneratorStates, ThatAnEarlierOpSharesStillCountWhenTheLaterOneIsForgotten) {
  GeneratorStates states;
  states.add(0, state_of_bytes(1));
  states.add(1, state_of_bytes(1));
  states.forget_from(1);
  states.add(2, state_of_bytes(2));

  EXPECT_EQ(states.most_bytes(), 2 * kStateBytes);
  EXPECT_TRUE(bitwise_equal(states.before(0), state_of_bytes(1)));
}

TEST(GeneratorStates, AreMovedOutAsOneForEachOp) {
  GeneratorStates states;
  states.add(0, state_of_bytes(1));
  states.add(1, state_of_bytes(1));
  states.add(7, state_of_bytes(2));

  EXPECT_THAT(states.take(), SizeIs(3));
  EXPECT_FALSE(states.before(0).defined());
  EXPECT_THAT(states.take(), IsEmpty());
}

}  // namespace
}  // namespace reprise::tape
