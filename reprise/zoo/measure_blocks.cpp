// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/measure_blocks.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace reprise::zoo {
namespace {

constexpr int kRuns = 3;

// Keeps a generator's state and puts it back.
class UnchangedGenerator {
 public:
  explicit UnchangedGenerator(at::Device device)
      : generator_(at::globalContext().defaultGenerator(device)) {
    const std::lock_guard lock(generator_.mutex());
    state_ = generator_.get_state();
  }
  ~UnchangedGenerator() {
    const std::lock_guard lock(generator_.mutex());
    generator_.set_state(state_);
  }
  UnchangedGenerator(const UnchangedGenerator&) = delete;
  UnchangedGenerator& operator=(const UnchangedGenerator&) = delete;

 private:
  at::Generator generator_;
  at::Tensor state_;
};

// Keeps the contents of a model's buffers and its placement, and puts them back.
class ModelScope {
 public:
  explicit ModelScope(Model& model)
      : model_(model), buffers_(model.buffers()), placement_(model.placement()) {
    for (const at::Tensor& buffer : buffers_) {
      contents_.push_back(buffer.clone());
    }
  }
  ~ModelScope() {
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      buffers_[i].copy_(contents_[i]);
    }
    model_.place_regions(std::move(placement_));
  }
  ModelScope(const ModelScope&) = delete;
  ModelScope& operator=(const ModelScope&) = delete;

 private:
  Model& model_;
  std::vector<at::Tensor> buffers_;
  std::vector<at::Tensor> contents_;
  RegionPlacement placement_;
};

// Forgets the weights that autocast has cast, before and after a pass: the next one casts again.
class CastScope {
 public:
  CastScope() { at::autocast::clear_cache(); }
  ~CastScope() { at::autocast::clear_cache(); }
  CastScope(const CastScope&) = delete;
  CastScope& operator=(const CastScope&) = delete;
};

// Work on a device other than the CPU runs behind our back: a clock must wait for it.
void wait_for(at::Device device) {
  if (!device.is_cpu()) {
    c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(device.index());
  }
}

// A context that notes how long it was entered. `times_us` outlives it.
std::shared_ptr<void> timed(std::vector<double>& times_us, at::Device device) {
  using Clock = std::chrono::steady_clock;
  wait_for(device);
  const auto leave = [&times_us, device, start = Clock::now()](void* /*none*/) {
    wait_for(device);
    times_us.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  };
  return {nullptr, leave};
}

std::vector<std::int64_t> bytes_by_block(const tape::RegionStats& stats, std::int64_t blocks) {
  const std::map<std::string, tape::RegionCounts> by_name = stats.by_name();
  std::vector<std::int64_t> bytes;
  for (std::int64_t block = 0; block < blocks; ++block) {
    const auto counts = by_name.find("block" + std::to_string(block));
    bytes.push_back(counts == by_name.end() ? 0 : counts->second.dropped_bytes);
  }
  return bytes;
}

}  // namespace

BlockMeasurements measure_blocks(Model& model, const Batch& sample) {
  const at::Device device = model.parameters().front().device();
  const UnchangedGenerator cpu_generator(at::kCPU);
  const UnchangedGenerator device_generator(device);
  const ModelScope model_scope(model);

  const auto blocks = static_cast<std::size_t>(model.blocks());
  BlockMeasurements result;
  for (int run = 0; run < kRuns; ++run) {
    const auto stats = std::make_shared<tape::RegionStats>();
    std::vector<double> times_us;
    std::vector<std::int64_t> input_bytes;
    RegionPlacement placement;
    placement.segments = plan::every_k(model.blocks(), 1, plan::LastSegment::kRegion);
    placement.options.stats = stats;
    placement.options.forward_context = [&times_us, device] { return timed(times_us, device); };
    placement.on_segment = [&input_bytes](const plan::Segment& /*block*/, std::int64_t bytes) {
      input_bytes.push_back(bytes);
    };
    model.place_regions(placement);
    const CastScope casts;
    const at::Tensor loss = model.loss(sample);

    times_us.resize(blocks, 0);
    result.input_bytes = input_bytes;
    result.saved_bytes = bytes_by_block(*stats, model.blocks());
    if (run == 0) {
      result.forward_us = times_us;
    }
    std::transform(times_us.begin(), times_us.end(), result.forward_us.begin(),
                   result.forward_us.begin(), [](double a, double b) { return std::min(a, b); });
  }
  return result;
}

}  // namespace reprise::zoo
