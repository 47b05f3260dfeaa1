// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/held_values.h"

#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

namespace reprise::tape {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

c10::Storage storage_of_bytes(std::int64_t bytes) {
  return torch::zeros({bytes}, torch::kByte).storage();
}

TEST(HeldValues, ListThoseThatAStorageIsHeldFor) {
  HeldValues held;
  EXPECT_THAT(held.roots(), IsEmpty());
  held.hold(7, storage_of_bytes(3));
  held.hold(2, storage_of_bytes(5));

  EXPECT_THAT(held.roots(), UnorderedElementsAre(2, 7));
  EXPECT_EQ(held.bytes(7), 3);
  EXPECT_EQ(held.bytes(2), 5);
  EXPECT_EQ(held.bytes(4), 0);
}

TEST(HeldValues, ListNoneThatWasDropped) {
  HeldValues held;
  held.hold(0, storage_of_bytes(1));
  held.hold(1, storage_of_bytes(1));
  held.hold(2, storage_of_bytes(1));
  held.drop(0);
  held.drop(0);
  EXPECT_THAT(held.roots(), UnorderedElementsAre(1, 2));
  held.drop(2);
  EXPECT_THAT(held.roots(), UnorderedElementsAre(1));
  held.hold(0, storage_of_bytes(1));
  held.drop(1);

  EXPECT_THAT(held.roots(), UnorderedElementsAre(0));
  EXPECT_TRUE(held.holds(0));
  EXPECT_FALSE(held.holds(1));
}

TEST(HeldValues, HoldOneStorageForAValue) {
  HeldValues held;
  held.hold(3, storage_of_bytes(1));
  held.hold(3, storage_of_bytes(8));

  EXPECT_THAT(held.roots(), UnorderedElementsAre(3));
  EXPECT_EQ(held.bytes(3), 8);
}

TEST(HeldValues, TellWhetherDroppingOneFreesItsBytes) {
  HeldValues held;
  c10::Storage shared = storage_of_bytes(1);
  held.hold(0, shared);
  EXPECT_FALSE(held.is_sole_holder(0));
  shared = {};

  EXPECT_TRUE(held.is_sole_holder(0));
}

}  // namespace
}  // namespace reprise::tape
