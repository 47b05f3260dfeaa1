// SPDX-License-Identifier: Apache-2.0
#include "reprise/memory.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <c10/core/CPUAllocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

namespace reprise {
namespace {

at::Tensor floats(std::int64_t count) { return torch::empty({count}, torch::kFloat); }

// Allocated before main(), so before any test begins to count.
std::optional<at::Tensor>& early_tensor() {
  static std::optional<at::Tensor> tensor(torch::ones({5000}));
  return tensor;
}
const bool kAllocatesEarly = early_tensor().has_value();

// With an alignment, glibc would not find it again.
TEST(CountedMemory, ABlockThatIsFreedServesTheNextTensorOfItsSize) {
  count_memory();
  const at::Tensor before = floats(10'000);
  at::Tensor between = floats(10'000);
  const at::Tensor after = floats(10'000);
  const void* const place = between.data_ptr();
  between.reset();
  EXPECT_EQ(floats(10'000).data_ptr(), place);
}

#ifdef __GLIBC__
TEST(CountedMemory, StaysWithTheProcessIfAsked) {
  keep_freed_memory();
  count_memory();
  std::vector<at::Tensor> tensors;
  for (int i = 0; i < 64; ++i) {
    tensors.push_back(floats(1 << 18));
  }
  const std::size_t taken = mallinfo2().arena;
  tensors.clear();
  EXPECT_EQ(mallinfo2().arena, taken);
  EXPECT_GE(taken, std::size_t{64} << 20);
}
#endif

TEST(MemoryMeter, CountsTheBytesThatTensorsAskFor) {
  const MemoryMeter meter;

  const at::Tensor a = floats(1000);
  const at::Tensor b = torch::zeros({10, 3}, torch::kLong);

  EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), 4000 + 240);
  EXPECT_EQ(meter.peak_bytes(), 4240);
  EXPECT_EQ(meter.total_peak_bytes(), meter.start_bytes() + 4240);
}

TEST(MemoryMeter, RemembersThePeakAfterMemoryIsFreed) {
  const MemoryMeter meter;

  floats(1000);
  floats(250);

  EXPECT_EQ(meter.live_bytes(), meter.start_bytes());
  EXPECT_EQ(meter.peak_bytes(), 4000);
}

TEST(MemoryMeter, SeesTheTemporariesOfAnExpression) {
  const at::Tensor a = torch::ones({1000});
  const MemoryMeter meter;

  const at::Tensor sum = (a + a) + a;

  EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), 4000);
  EXPECT_EQ(meter.peak_bytes(), 8000);
}

TEST(MemoryMeter, CountsViewsNotTwice) {
  const MemoryMeter meter;

  const at::Tensor a = floats(1000);
  const at::Tensor view = a.view({10, 100}).t();

  EXPECT_EQ(meter.peak_bytes(), 4000);
}

TEST(MemoryMeter, CountsNothingForEmptyTensors) {
  const MemoryMeter meter;

  const at::Tensor empty = floats(0);
  const at::Tensor undefined;

  EXPECT_EQ(meter.peak_bytes(), 0);
  EXPECT_EQ(empty.numel(), 0);
}

TEST(MemoryMeter, HoldsBothBlocksWhileATensorGrows) {
  const MemoryMeter meter;

  at::Tensor a = torch::arange(1000, torch::kFloat);
  a.resize_({2000});

  EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), 8000);
  EXPECT_EQ(meter.peak_bytes(), 12000);
  EXPECT_EQ(a[999].item<float>(), 999);
}

TEST(MemoryMeter, CountsNoMemoryThatTorchDidNotAllocate) {
  std::vector<float> values(1000, 3);
  const MemoryMeter meter;

  const at::Tensor a = torch::from_blob(values.data(), {1000});

  EXPECT_EQ(meter.peak_bytes(), 0);
  EXPECT_EQ(a[0].item<float>(), 3);
}

TEST(MemoryMeter, NestsWithoutDisturbingTheOuterPeak) {
  const MemoryMeter outer;
  floats(1000);
  const at::Tensor kept = floats(100);
  {
    const MemoryMeter inner;
    floats(500);
    EXPECT_EQ(inner.start_bytes(), outer.start_bytes() + 400);
    EXPECT_EQ(inner.peak_bytes(), 2000);
    EXPECT_EQ(outer.peak_bytes(), 4000);
  }
  EXPECT_EQ(outer.peak_bytes(), 4000);
}

TEST(MemoryMeter, PassesThePeakOfAnInnerMeterOn) {
  const MemoryMeter outer;
  const at::Tensor kept = floats(100);
  {
    const MemoryMeter inner;
    floats(2000);
    EXPECT_EQ(inner.peak_bytes(), 8000);
  }
  floats(10);

  EXPECT_EQ(outer.peak_bytes(), 8400);
}

TEST(MemoryMeter, MayOverlapAnotherThatEndsLater) {
  auto first = std::make_unique<MemoryMeter>();
  floats(1000);
  const MemoryMeter second;
  floats(300);
  EXPECT_EQ(first->peak_bytes(), 4000);
  first.reset();
  floats(500);

  EXPECT_EQ(second.peak_bytes(), 2000);
}

TEST(MemoryMeter, CountsMemoryThatAnotherThreadAllocatesOrFrees) {
  const MemoryMeter meter;
  at::Tensor here = floats(1000);
  at::Tensor there;

  std::thread([&] {
    here.reset();
    there = floats(3000);
  }).join();

  EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), 12000);
  EXPECT_EQ(meter.peak_bytes(), 12000);
}

TEST(MemoryMeter, AddsUpWhatManyThreadsAllocateAtOnce) {
  const MemoryMeter meter;
  std::vector<std::vector<at::Tensor>> kept(4);
  std::vector<std::thread> threads;

  for (std::vector<at::Tensor>& mine : kept) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < 500; ++i) {
        mine.push_back(floats(100));
        floats(10);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }

  EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), 4 * 500 * 400);
  EXPECT_GE(meter.peak_bytes(), 4 * 500 * 400);
  EXPECT_LE(meter.peak_bytes(), 4 * 500 * 400 + 4 * 40);
}

TEST(MemoryMeter, IgnoresMemoryAllocatedBeforeCountingBegan) {
  ASSERT_TRUE(kAllocatesEarly);
  const MemoryMeter meter;

  early_tensor().reset();

  EXPECT_EQ(meter.live_bytes(), meter.start_bytes());
  EXPECT_EQ(meter.peak_bytes(), 0);
}

TEST(MemoryMeter, MeasuresATrainingStepToTheByte) {
  const at::Tensor x = torch::ones({8, 16});
  const at::Tensor w = torch::ones({16, 32}, torch::requires_grad());
  std::optional<at::Tensor> y;
  const MemoryMeter meter;

  y = x.mm(w).tanh();  // tanh keeps its output, mm its inputs, which live anyway
  EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), 8 * 32 * 4);
  y->sum().backward();
  y.reset();

  EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), 16 * 32 * 4);  // the gradient of w
}

TEST(MemoryMeter, RejectsADeviceWithoutAllocatorStatistics) {
  try {
    const MemoryMeter meter(c10::Device(c10::DeviceType::FPGA, 0));
    FAIL() << "nothing thrown";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "MemoryMeter: the device must be the CPU or have an allocator with statistics, "
                 "got fpga:0");
  }
}

TEST(CountMemory, BeginsToCountForTheRestOfTheProcess) {
  count_memory();
  EXPECT_TRUE(is_counting_memory());
  c10::Allocator* const allocator = c10::GetAllocator(c10::kCPU);

  count_memory();

  EXPECT_EQ(c10::GetAllocator(c10::kCPU), allocator);
}

TEST(CountMemory, CountsWhatIsAllocatedBeforeTheFirstMeter) {
  count_memory();
  const std::int64_t before = MemoryMeter().live_bytes();
  const at::Tensor a = floats(1000);

  EXPECT_EQ(MemoryMeter().start_bytes(), before + 4000);
}

TEST(CountMemory, KeepsTheAlignmentOfBlocks) {
  count_memory();
  const auto misalignment = [](std::int64_t bytes) {
    const at::Tensor tensor = torch::empty({bytes}, torch::kByte);
    return reinterpret_cast<std::uintptr_t>(tensor.data_ptr()) % 64;
  };

  EXPECT_EQ(misalignment(1), 0);
  EXPECT_EQ(misalignment(100), 0);
  EXPECT_EQ(misalignment(4096), 0);
  EXPECT_EQ(misalignment(10 << 20), 0);
}

TEST(CountMemory, SupportsRawAllocation) {
  const MemoryMeter meter;
  c10::Allocator* const allocator = c10::GetAllocator(c10::kCPU);

  void* const block = allocator->raw_allocate(1000);
  std::memset(block, 1, 1000);
  EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), 1000);
  allocator->raw_deallocate(block);

  EXPECT_EQ(meter.live_bytes(), meter.start_bytes());
  EXPECT_EQ(allocator->raw_allocate(0), nullptr);
  allocator->raw_deallocate(nullptr);
}

// As oneDNN's glue does, which frees through whichever allocator is registered then.
TEST(CountMemory, FreesBlocksOfTheAllocatorThatWasThereBefore) {
  const MemoryMeter meter;
  std::vector<void*> blocks;
  for (const std::size_t bytes : {1, 64, 1000, 4096, 100000, 10 << 20}) {
    blocks.push_back(c10::GetDefaultCPUAllocator()->raw_allocate(bytes));
  }

  for (void* block : blocks) {
    c10::GetAllocator(c10::kCPU)->raw_deallocate(block);
  }

  EXPECT_EQ(meter.live_bytes(), meter.start_bytes());
  EXPECT_EQ(meter.peak_bytes(), 0);
}

TEST(CountMemory, LeavesTheErrorOfAnImpossibleAllocationAsItIs) {
  const MemoryMeter meter;

  EXPECT_THROW(torch::empty({std::int64_t{1} << 60}), c10::Error);
  EXPECT_THROW(c10::GetAllocator(c10::kCPU)->allocate(~std::size_t{0}), c10::Error);

  EXPECT_EQ(meter.peak_bytes(), 0);
}

TEST(CountMemory, CopiesDataWhenAnAllocationIsCloned) {
  count_memory();
  const std::string text = "bytes";

  const c10::DataPtr copy = c10::GetAllocator(c10::kCPU)->clone(text.data(), text.size());

  EXPECT_EQ(std::memcmp(copy.get(), text.data(), text.size()), 0);
}

// A device whose statistics the test writes. Registered for a type that no build of torch uses.
class FakeDeviceAllocator final : public c10::DeviceAllocator {
 public:
  void allocate_bytes(std::size_t bytes) { stat_.increase(bytes); }
  void free_bytes(std::size_t bytes) { stat_.decrease(bytes); }

  c10::DataPtr allocate(std::size_t /*bytes*/) override { return {}; }
  void copy_data(void* dest, const void* src, std::size_t count) const override {
    default_copy_data(dest, src, count);
  }
  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t /*pool*/) override {}
  void recordStream(const c10::DataPtr& /*block*/, c10::Stream /*stream*/) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex index) override {
    c10::CachingDeviceAllocator::DeviceStats stats;
    if (index == 1) {
      stats.allocated_bytes[0] = stat_;
    }
    return stats;
  }
  void resetAccumulatedStats(c10::DeviceIndex /*index*/) override { stat_.reset_accumulated(); }
  void resetPeakStats(c10::DeviceIndex /*index*/) override { stat_.reset_peak(); }

 private:
  c10::CachingAllocator::Stat stat_;
};

FakeDeviceAllocator& fake_allocator() {
  static FakeDeviceAllocator& allocator = [&]() -> FakeDeviceAllocator& {
    auto* const fake = new FakeDeviceAllocator;
    c10::SetAllocator(c10::DeviceType::MAIA, fake);
    return *fake;
  }();
  return allocator;
}

TEST(MemoryMeter, ReadsTheAllocatorStatisticsOfOtherDevices) {
  FakeDeviceAllocator& allocator = fake_allocator();
  allocator.allocate_bytes(1000);
  allocator.allocate_bytes(9000);
  allocator.free_bytes(9000);
  {
    const MemoryMeter outer(c10::Device(c10::DeviceType::MAIA, 1));
    allocator.allocate_bytes(500);
    allocator.free_bytes(500);
    const MemoryMeter inner(c10::Device(c10::DeviceType::MAIA, 1));
    allocator.allocate_bytes(200);

    EXPECT_EQ(outer.start_bytes(), 1000);
    EXPECT_EQ(outer.live_bytes(), 1200);
    EXPECT_EQ(outer.peak_bytes(), 500);
    EXPECT_EQ(inner.peak_bytes(), 200);
    EXPECT_EQ(inner.total_peak_bytes(), 1200);
    allocator.free_bytes(200);
  }
  allocator.free_bytes(1000);
}

TEST(MemoryMeter, KeepsTheDevicesOfOneTypeApart) {
  fake_allocator().allocate_bytes(700);

  const MemoryMeter first(c10::Device(c10::DeviceType::MAIA, 0));
  const MemoryMeter second(c10::Device(c10::DeviceType::MAIA, 1));

  EXPECT_EQ(first.live_bytes(), 0);
  EXPECT_EQ(second.live_bytes(), 700);
  fake_allocator().free_bytes(700);
}

TEST(Units, AreBinary) {
  EXPECT_EQ(kib(3), 3072);
  EXPECT_EQ(mib(1.5), 1572864);
  EXPECT_EQ(gib(6), 6442450944);
  EXPECT_EQ(mib(0.0001), 104);
  static_assert(gib(1) == 1024 * mib(1) && mib(1) == 1024 * kib(1));
}

TEST(FormatBytes, PicksTheUnit) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1.00 KiB");
  EXPECT_EQ(format_bytes(mib(1) - 1), "1.00 MiB");
  EXPECT_EQ(format_bytes(gib(1.5)), "1.50 GiB");
  EXPECT_EQ(format_bytes(-kib(2)), "-2.00 KiB");
  EXPECT_EQ(format_bytes(std::numeric_limits<std::int64_t>::max()), "8.00 EiB");
}

}  // namespace
}  // namespace reprise
