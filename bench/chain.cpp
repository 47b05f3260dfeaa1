// SPDX-License-Identifier: Apache-2.0
// What policies make of a chain of 64 equal layers: peak memory and recomputation, both in layers.
//
// A layer here is tanh on 1 MiB: autograd saves its output and nothing else, so a layer's saved
// values are exactly one activation, and "layers of memory" are bytes divided by 1 MiB. The chain's
// own input is the caller's and is not counted; gradients that flow are. Numbers are exact and the
// same in every run; with loose ends of a few bytes (the scalar loss) rounded away.
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <torch/torch.h>

#include "bench/usage.h"
#include "reprise/checkpoint_sequential.h"
#include "reprise/memory.h"

namespace reprise::bench {
namespace {

constexpr std::int64_t kLayers = 64;
constexpr std::int64_t kLayerBytes = 1 << 20;

using Stage = std::function<at::Tensor(at::Tensor)>;

at::Tensor layer(const at::Tensor& x) { return x.tanh(); }

// Regions within regions: `levels` times, each part is cut into `parts` parts, all but the last one
// a region.
Stage nested(std::int64_t layers, std::int64_t parts, int levels,
             const CheckpointOptions& options) {
  if (levels == 0) {
    return [layers](at::Tensor x) {
      for (std::int64_t i = 0; i < layers; ++i) {
        x = layer(x);
      }
      return x;
    };
  }
  const std::vector<Stage> stages(static_cast<std::size_t>(parts),
                                  nested(layers / parts, parts, levels - 1, options));
  return [=](at::Tensor x) {
    return checkpoint_sequential(options, stages, parts, std::move(x)).output;
  };
}

Stage segmented(const plan::SegmentPlan& plan, const CheckpointOptions& options) {
  return [=](at::Tensor x) {
    return checkpoint_sequential(options, std::vector<Stage>(kLayers, layer), plan, std::move(x))
        .output;
  };
}

struct ChainCost {
  double peak_layers = 0;
  double residue_layers = 0;  // after forward
  std::int64_t recomputed_layers = 0;
};

ChainCost measure(const std::function<Stage(const CheckpointOptions&)>& make_chain) {
  CheckpointOptions options;
  options.stats = std::make_shared<RegionStats>();
  const Stage chain = make_chain(options);
  const at::Tensor x = torch::ones({kLayerBytes / 4}, torch::requires_grad());
  x.mutable_grad() = torch::zeros_like(x);
  const MemoryMeter meter;
  const at::Tensor loss = chain(x).sum();
  const std::int64_t residue_bytes = meter.live_bytes() - meter.start_bytes();
  loss.backward();
  return {static_cast<double>(meter.peak_bytes()) / kLayerBytes,
          static_cast<double>(residue_bytes) / kLayerBytes, options.stats->total().recomputed_ops};
}

// Returns true if the peak keeps to the bound; 0: none is claimed.
bool print(const char* policy, const ChainCost& cost, double bound_layers = 0) {
  // A layer is 1 MiB and loose ends are a few bytes: two digits show whole layers.
  const bool is_kept = bound_layers == 0 || cost.peak_layers <= bound_layers;
  std::printf("%-36s %10.2f %14.2f %14lld", policy, cost.peak_layers, cost.residue_layers,
              static_cast<long long>(cost.recomputed_layers));
  if (bound_layers != 0) {
    std::printf("   <= %.0f: %s", bound_layers, is_kept ? "yes" : "NO");
  }
  std::printf("\n");
  return is_kept;
}

int run() {
  count_memory();
  std::printf(
      "%lld layers of tanh on 1 MiB, each saves its output; in layers:\n%-36s %10s %14s %14s\n",
      static_cast<long long>(kLayers), "policy", "peak", "after forward", "run again");
  const auto by_plan = [](const plan::SegmentPlan& plan) {
    return measure([&](const CheckpointOptions& options) { return segmented(plan, options); });
  };
  const auto by_levels = [](std::int64_t parts, int levels) {
    return measure(
        [=](const CheckpointOptions& options) { return nested(kLayers, parts, levels, options); });
  };
  bool is_kept = true;
  print("none", by_plan(plan::all_plain(kLayers)));
  print("a region per layer", by_plan(plan::every_k(kLayers, 1)));
  is_kept &= print("sqrt: 8 segments of 8", by_plan(plan::sqrt_segments(kLayers)), 18);
  is_kept &= print("two levels: 4 parts of 4 parts of 4", by_levels(4, 2), 15);
  print("six levels: halves of halves", by_levels(2, 6));
  return is_kept ? 0 : 1;
}

}  // namespace
}  // namespace reprise::bench

int main(int argc, char** argv) {
  reprise::bench::require_no_words(argc, argv, "chain");
  return reprise::bench::run();
}
