// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/meta_allocator.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "reprise/memory.h"

namespace reprise::tape {
namespace {

at::Tensor floats(std::int64_t count) {
  return torch::empty({count}, at::TensorOptions(at::kMeta).dtype(at::kFloat));
}

TEST(CountMetaMemory, CountsWhatMetaTensorsWouldTakeOnTheCpu) {
  count_meta_memory();
  const MemoryMeter meter;
  {
    const at::Tensor a = floats(1'000'000'000'000);
    const at::Tensor view = a.slice(0, 5);
    EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), 4'000'000'000'000);
  }
  EXPECT_EQ(meter.live_bytes(), meter.start_bytes());
  EXPECT_EQ(meter.peak_bytes(), 4'000'000'000'000);
}

TEST(CountMetaMemory, CountsThemBesideThoseOfTheCpu) {
  count_meta_memory();
  const MemoryMeter meter;
  const at::Tensor a = floats(1000);
  torch::empty({250}, at::kFloat);
  EXPECT_EQ(meter.peak_bytes(), 5000);
}

TEST(CountAgain, FollowsATensorThatWasResized) {
  count_meta_memory();
  const MemoryMeter meter;
  at::Tensor a = floats(10);
  a.resize_({100});
  count_again(*a.storage().unsafeGetStorageImpl());
  EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), 400);
  a.reset();
  EXPECT_EQ(meter.live_bytes(), meter.start_bytes());
}

TEST(UncountedMeta, CountsNothingInItsScope) {
  count_meta_memory();
  const MemoryMeter meter;
  at::Tensor a;
  {
    const UncountedMeta scope;
    a = floats(10);
  }
  const at::Tensor b = floats(1);
  EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), 4);
  a.reset();
  EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), 4);
}

}  // namespace
}  // namespace reprise::tape
