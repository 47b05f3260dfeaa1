// SPDX-License-Identifier: Apache-2.0
// Our side of what one region costs: 2,000 layers on 4x4 tensors, each a region. Kernels this small
// take about a microsecond, so what is left is the price of a region. bench/vs_pytorch.py drives
// it; bench/peer/region_step.py is its mirror.
//
//   step [region|nested] [rerun] [dropout] [free_rng] [heap]
//
// region: each layer is a region; nested: besides, every 50 layers are; else plain. rerun: regions
// do not replay. dropout: layers draw random numbers. free_rng: regions do not preserve random
// state. heap: see Step::heap_bytes.
#include <string>
#include <vector>

#include <torch/torch.h>
#include <nlohmann/json.hpp>

#include "bench/step.h"
#include "bench/usage.h"
#include "reprise/checkpoint.h"
#include "reprise/memory.h"

namespace reprise::bench {
namespace {

constexpr int kGroups = 40, kLayersPerGroup = 50;
constexpr std::uint64_t kSeed = 1234;

class TinyLayers {
 public:
  TinyLayers()
      : x_(torch::arange(16, torch::kFloat).reshape({4, 4}).div(16).requires_grad_()),
        w_(torch::eye(4).mul(0.5).add(0.125).requires_grad_()) {
    x_.mutable_grad() = torch::zeros_like(x_);
    w_.mutable_grad() = torch::zeros_like(w_);
  }

  nlohmann::json step(const std::vector<std::string>& words) {
    is_region_ = has_word(words, "region") || has_word(words, "nested");
    has_dropout_ = has_word(words, "dropout");
    options_.recompute = has_word(words, "rerun") ? Recompute::kRerun : Recompute::kReplay;
    options_.preserves_rng = !has_word(words, "free_rng");
    x_.mutable_grad().zero_();
    w_.mutable_grad().zero_();
    torch::manual_seed(kSeed);
    const bool is_nested = has_word(words, "nested");
    nlohmann::json answer = to_json(measure_step(
        [&] {
          at::Tensor x = x_;
          for (int i = 0; i < kGroups; ++i) {
            x = is_nested ? checkpoint(
                                options_, [this](const at::Tensor& t) { return group(t); }, x)
                          : group(x);
          }
          return x.sum();
        },
        {.sees_heap = has_word(words, "heap")}));
    answer["gradient"] = w_.grad().sum().item<double>() + x_.grad().sum().item<double>();
    return answer;
  }

 private:
  at::Tensor layer(const at::Tensor& x) const {
    const at::Tensor y = x.mm(w_).tanh();
    return has_dropout_ ? torch::dropout(y, 0.1, /*train=*/true) : y;
  }

  at::Tensor group(at::Tensor x) const {
    for (int i = 0; i < kLayersPerGroup; ++i) {
      x = is_region_ ? checkpoint(
                           options_, [this](const at::Tensor& t) { return layer(t); }, x)
                     : layer(x);
    }
    return x;
  }

  at::Tensor x_, w_;
  CheckpointOptions options_;
  bool is_region_ = false;
  bool has_dropout_ = false;
};

}  // namespace
}  // namespace reprise::bench

int main(int argc, char** argv) {
  reprise::bench::require_no_words(argc, argv,
                                   "region_step < COMMANDS (bench/vs_pytorch.py drives it)");
  reprise::count_memory();
  reprise::bench::TinyLayers layers;
  return reprise::bench::answer_commands([&](const auto& words) { return layers.step(words); });
}
