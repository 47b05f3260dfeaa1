// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/meta_allocator.h"

#include <memory>
#include <mutex>

#include <c10/core/Allocator.h>
#include <c10/core/StorageImpl.h>

#include "reprise/tape/counting_allocator.h"
#include "reprise/tape/live_bytes.h"

namespace reprise::tape {
namespace {

constexpr std::uint8_t kPriority = 255;

// Mutable globals, against house rule 22: a c10 allocator is global and must outlive every tensor.
LiveBytes meta_bytes;

// What stands for the memory of a storage.
struct Block {
  std::int64_t bytes = 0;
};

void free_block(void* context) {
  const std::unique_ptr<Block> block(static_cast<Block*>(context));
  meta_bytes.subtract(block->bytes);
}

class MetaAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    auto block = std::make_unique<Block>(Block{static_cast<std::int64_t>(bytes)});
    meta_bytes.add(block->bytes, cpu_live_bytes());
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
  });
}

std::int64_t meta_live_bytes() { return meta_bytes.live() + cpu_live_bytes(); }

std::int64_t meta_peak_bytes() { return meta_bytes.peak(); }

std::int64_t restart_meta_peak() { return meta_bytes.restart_peak(cpu_live_bytes()); }

void count_again(const c10::StorageImpl& storage) {
  auto* const block = storage.data_ptr().cast_context<Block>(&free_block);
  if (block == nullptr) {
    return;  // made before counting began
  }
  const auto bytes = static_cast<std::int64_t>(storage.nbytes());
  meta_bytes.add(bytes - block->bytes, cpu_live_bytes());
  block->bytes = bytes;
}

}  // namespace reprise::tape
