// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/meta_allocator.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include <c10/core/Allocator.h>
#include <c10/core/StorageImpl.h>

#include "reprise/tape/counting_allocator.h"

namespace reprise::tape {
namespace {

constexpr std::uint8_t kPriority = 255;

std::atomic<bool> is_counting{false};
// Scope state of this thread, changed by UncountedMeta alone.
thread_local bool is_uncounted = false;

// What stands for the memory of a storage.
struct Block {
  std::int64_t bytes = 0;  // that are counted
};

void free_block(void* context) {
  const std::unique_ptr<Block> block(static_cast<Block*>(context));
  count_as_cpu_memory(-block->bytes);
}

class MetaAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    auto block = std::make_unique<Block>();
    block->bytes = is_uncounted ? 0 : static_cast<std::int64_t>(bytes);
    count_as_cpu_memory(block->bytes);
    return {nullptr, block.release(), &free_block, c10::Device(c10::DeviceType::Meta)};
  }

  void copy_data(void* /*dest*/, const void* /*src*/, std::size_t /*count*/) const override {}
};

}  // namespace

void count_meta_memory() {
  static std::once_flag once;
  std::call_once(once, [] {
    count_cpu_memory();
    // Never deleted: tensors that live until the process ends are freed through it.
    static auto& allocator = *new MetaAllocator;
    c10::SetAllocator(c10::DeviceType::Meta, &allocator, kPriority);
    is_counting = true;
  });
}

bool is_counting_meta_memory() { return is_counting.load(); }

void count_again(const c10::StorageImpl& storage) {
  auto* const block = storage.data_ptr().cast_context<Block>(&free_block);
  if (block == nullptr) {
    return;  // made before counting began
  }
  const auto bytes = static_cast<std::int64_t>(storage.nbytes());
  count_as_cpu_memory(bytes - block->bytes);
  block->bytes = bytes;
}

UncountedMeta::UncountedMeta() : outer_(std::exchange(is_uncounted, true)) {}

UncountedMeta::~UncountedMeta() { is_uncounted = outer_; }

}  // namespace reprise::tape
