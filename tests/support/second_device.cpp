// SPDX-License-Identifier: Apache-2.0
#include "tests/support/second_device.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <optional>
#include <tuple>

#include <ATen/EmptyTensor.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>
#include <torch/torch.h>

namespace reprise::support {
namespace {

constexpr c10::DeviceType kType = c10::DeviceType::PrivateUse1;

// Counts the bytes that are asked for, exactly.
class Memory final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    auto* const place = static_cast<std::byte*>(::operator new(kHeaderBytes + bytes));
    std::memcpy(place, &bytes, sizeof(bytes));
    count([bytes](c10::CachingAllocator::Stat& stat) { stat.increase(bytes); });
    return {place + kHeaderBytes, place + kHeaderBytes, &free, second_device()};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &free; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }

  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t /*pool*/) override {}
  void recordStream(const c10::DataPtr& /*block*/, c10::Stream /*stream*/) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex /*index*/) override {
    c10::CachingDeviceAllocator::DeviceStats stats;
    count([&](const c10::CachingAllocator::Stat& stat) { stats.allocated_bytes[0] = stat; });
    return stats;
  }
  void resetAccumulatedStats(c10::DeviceIndex /*index*/) override {
    count([](c10::CachingAllocator::Stat& stat) { stat.reset_accumulated(); });
  }
  void resetPeakStats(c10::DeviceIndex /*index*/) override {
    count([](c10::CachingAllocator::Stat& stat) { stat.reset_peak(); });
  }

 private:
  static constexpr std::size_t kHeaderBytes = 64;  // keeps blocks aligned

  static void free(void* data);
  template <class Work>
  void count(const Work& work) {
    const std::lock_guard lock(mutex_);  // backward has a thread of its own
    work(allocated_bytes_);
  }

  std::mutex mutex_;
  c10::CachingAllocator::Stat allocated_bytes_;
};

Memory* memory() {
  static auto* const instance = new Memory;  // tensors may be freed at exit
  return instance;
}

void Memory::free(void* data) {
  std::byte* const place = static_cast<std::byte*>(data) - kHeaderBytes;
  std::size_t bytes = 0;
  std::memcpy(&bytes, place, sizeof(bytes));
  memory()->count([bytes](c10::CachingAllocator::Stat& stat) { stat.decrease(bytes); });
  ::operator delete(place);
}

// Its stream is a hash of the seed and of the count of numbers drawn.
class SecondGenerator final : public c10::GeneratorImpl {
 public:
  explicit SecondGenerator(std::uint64_t seed)
      : GeneratorImpl(second_device(), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
        state_{seed, 0} {}

  static c10::DeviceType device_type() { return kType; }

  // In [0, 1).
  double next() {
    std::uint64_t bits = state_[0] + 0x9e3779b97f4a7c15 * ++state_[1];
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((bits ^ (bits >> 31)) >> 11) / 9007199254740992.0;  // 2^53
  }

  void set_current_seed(std::uint64_t seed) override { state_ = {seed, 0}; }
  std::uint64_t current_seed() const override { return state_[0]; }
  std::uint64_t seed() override { return state_[0]; }
  void set_offset(std::uint64_t offset) override { state_[1] = offset; }
  std::uint64_t get_offset() const override { return state_[1]; }
  void set_state(const c10::TensorImpl& state) override {
    std::memcpy(state_.data(), state.data(), sizeof(state_));
  }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    const at::Tensor state = at::empty({kSecondGeneratorBytes}, at::kByte);
    std::memcpy(state.mutable_data_ptr(), state_.data(), sizeof(state_));
    return state.getIntrusivePtr();
  }

 private:
  SecondGenerator* clone_impl() const override { return new SecondGenerator(*this); }
  SecondGenerator(const SecondGenerator& other) : SecondGenerator(other.state_[0]) {
    state_ = other.state_;
  }

  std::array<std::uint64_t, 2> state_;
};
static_assert(sizeof(std::array<std::uint64_t, 2>) == kSecondGeneratorBytes);

const at::Generator& default_generator() {
  static const at::Generator generator = make_second_generator(0);
  return generator;
}

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex /*index*/) const override { return true; }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex /*index*/) const override {
    return default_generator();
  }
};

struct Guard final : c10::impl::NoOpDeviceGuardImpl<kType> {
  c10::Device exchangeDevice(c10::Device /*device*/) const override { return second_device(); }
  c10::Device getDevice() const override { return second_device(); }
  c10::Stream getStream(c10::Device /*device*/) const noexcept override {
    return c10::Stream(c10::Stream::DEFAULT, second_device());
  }
  c10::Stream exchangeStream(c10::Stream /*stream*/) const noexcept override {
    return c10::Stream(c10::Stream::DEFAULT, second_device());
  }
};

// --- Kernels. ---

at::Tensor on_host(const at::Tensor& tensor) {
  return tensor.is_cpu() ? tensor
                         : at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(),
                                         tensor.options().device(at::kCPU));
}

at::Tensor empty(c10::IntArrayRef sizes, std::optional<c10::ScalarType> dtype,
                 std::optional<c10::Layout> /*layout*/, std::optional<c10::Device> /*device*/,
                 std::optional<bool> /*is_pinned*/, std::optional<c10::MemoryFormat> format) {
  return at::Tensor(at::detail::empty_generic(sizes, memory(),
                                              c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                              c10::dtype_or_default(dtype), format));
}

at::Tensor empty_strided(c10::IntArrayRef sizes, c10::IntArrayRef strides,
                         std::optional<c10::ScalarType> dtype,
                         std::optional<c10::Layout> /*layout*/,
                         std::optional<c10::Device> /*device*/, std::optional<bool> /*is_pinned*/) {
  return at::Tensor(at::detail::empty_strided_generic(
      sizes, strides, memory(), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
      c10::dtype_or_default(dtype)));
}

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool /*is_non_blocking*/) {
  on_host(to).copy_(on_host(from));
  return to;
}

at::Tensor copy_from_and_resize(const at::Tensor& from, const at::Tensor& to) {
  TORCH_CHECK(from.sizes() == to.sizes(), "the second device resizes no tensor");
  return copy_from(from, to, false);
}

SecondGenerator& chosen(const std::optional<at::Generator>& generator) {
  return *at::get_generator_or_default<SecondGenerator>(generator, default_generator());
}

template <class Draw>
at::Tensor& fill(at::Tensor& self, Draw&& draw) {
  TORCH_CHECK(self.is_contiguous(), "the second device draws into contiguous tensors alone");
  double* const data = self.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < self.numel(); ++i) {
    data[i] = draw();
  }
  return self;
}

at::Tensor& bernoulli(at::Tensor& self, double p, std::optional<at::Generator> generator) {
  return fill(self, [&, &source = chosen(generator)] { return source.next() < p ? 1. : 0.; });
}

at::Tensor& uniform(at::Tensor& self, double from, double to,
                    std::optional<at::Generator> generator) {
  return fill(self,
              [&, &source = chosen(generator)] { return from + (to - from) * source.next(); });
}

std::tuple<at::Tensor, at::Tensor> native_dropout(const at::Tensor& input, double p,
                                                  std::optional<bool> /*train*/) {
  at::Tensor mask = at::empty_like(input);
  bernoulli(mask, 1 - p, std::nullopt);
  return {input * mask * (1 / (1 - p)), mask.to(at::kBool)};
}

void run_on_host(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  at::native::cpu_fallback(op, stack);
}

const bool is_registered = [] {
  c10::register_privateuse1_backend("second");
  c10::SetAllocator(kType, memory());
  at::RegisterPrivateUse1HooksInterface(new Hooks());  // torch's, to the end of the process
  return true;
}();

}  // namespace

c10::Device second_device() { return {kType, 0}; }

at::Generator make_second_generator(std::uint64_t seed) {
  return at::make_generator<SecondGenerator>(seed);
}

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", &empty);
  m.impl("empty_strided", &empty_strided);
  m.impl("_copy_from", &copy_from);
  m.impl("_copy_from_and_resize", &copy_from_and_resize);
  m.impl("as_strided", &at::native::as_strided_tensorimpl);
  m.impl("view", &at::native::view);
  m.impl("bernoulli_.float", &bernoulli);
  m.impl("uniform_", &uniform);
  m.impl("native_dropout", &native_dropout);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_host>());
}

}  // namespace reprise::support
