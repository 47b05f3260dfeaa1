// SPDX-License-Identifier: Apache-2.0
// How many layers of memory a chain of 64 equal layers takes, to the byte.
//
// A layer is tanh on 1000 floats: autograd saves its output and nothing else. L = 4000 bytes. The
// chain's input is the test's own and not counted, nor is the gradient that is there before.
#include <cstdint>
#include <functional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "reprise/checkpoint_sequential.h"
#include "reprise/memory.h"

namespace reprise {
namespace {

constexpr std::int64_t L = 4000;
constexpr std::int64_t kLoss = 4;      // the sum, a float
constexpr std::int64_t kLossGrad = 4;  // the gradient of it

using Stage = std::function<at::Tensor(at::Tensor)>;

at::Tensor layer(const at::Tensor& x) { return x.tanh(); }

Stage four(const Stage& stage) {
  return [stage](at::Tensor x) {
    return checkpoint_sequential(std::vector<Stage>(4, stage), 4, std::move(x)).output;
  };
}

struct Bytes {
  std::int64_t residue = 0;  // after forward
  std::int64_t peak = 0;     // of forward and backward
};

Bytes bytes_of_a_step(const Stage& chain) {
  const at::Tensor x = torch::ones({1000}, torch::requires_grad());
  x.mutable_grad() = torch::zeros_like(x);
  const MemoryMeter meter;
  const at::Tensor loss = chain(x).sum();
  const std::int64_t residue = meter.live_bytes() - meter.start_bytes();
  loss.backward();
  return {residue, meter.peak_bytes()};
}

at::Tensor plain_chain(at::Tensor x) {
  for (int i = 0; i < 64; ++i) {
    x = layer(x);
  }
  return x;
}

at::Tensor sqrt_chain(at::Tensor x) {
  return checkpoint_sequential(std::vector<Stage>(64, layer), plan::sqrt_segments(64), std::move(x))
      .output;
}

// Layers of layers of layers: 64 = 4 * 4 * 4.
at::Tensor two_level_chain(at::Tensor x) {
  const auto four_layers = [](at::Tensor t) {
    for (int i = 0; i < 4; ++i) {
      t = layer(t);
    }
    return t;
  };
  return four(four(four_layers))(std::move(x));
}

at::Tensor gradient_of(const Stage& chain) {
  const at::Tensor x = torch::linspace(-1, 1, 1000).requires_grad_();
  chain(x).sum().backward();
  return x.grad();
}

// 64 outputs; the first node of backward makes one gradient more before its own output goes.
TEST(CheckpointMemory, APlainChainOfEqualLayersHoldsThemAll) {
  const Bytes bytes = bytes_of_a_step(plain_chain);

  EXPECT_EQ(bytes.residue, 64 * L + kLoss);
  EXPECT_EQ(bytes.peak, 65 * L + kLoss + kLossGrad);
}

// 8 segments of 8. After forward: the inputs of regions 2..7, which are 6, and the 8 outputs of the
// plain segment. Worst moment: region 7 has been recomputed; 6 inputs, 8 outputs, the gradient that
// arrives and the one that its first node makes. The aim of the policy is 2 sqrt(64) + 2 = 18.
TEST(CheckpointMemory, SqrtSegmentsOfAChainOf64LayersPeakAt16) {
  const Bytes bytes = bytes_of_a_step(sqrt_chain);

  EXPECT_EQ(bytes.residue, (6 + 8) * L + kLoss);
  EXPECT_EQ(bytes.peak, (6 + 8 + 2) * L + kLoss + kLossGrad);
  EXPECT_LE(bytes.peak, 18 * L);
}

// 4 parts of 4 parts of 4 layers, the last of each four being plain. After forward: the inputs of
// outer regions 2 and 3, those of the 3 inner regions of the last part, and the 4 outputs of the
// last inner part. Worst moment: the last of these inner regions has been recomputed; 2 + 3 inputs,
// 4 outputs, two gradients. The aim is 15.
TEST(CheckpointMemory, RegionsInRegionsOfAChainOf64LayersPeakAt11) {
  const Bytes bytes = bytes_of_a_step(two_level_chain);

  EXPECT_EQ(bytes.residue, (2 + 3 + 4) * L + kLoss);
  EXPECT_EQ(bytes.peak, (2 + 3 + 4 + 2) * L + kLoss + kLossGrad);
  EXPECT_LE(bytes.peak, 15 * L);
}

TEST(CheckpointMemory, TheGradientsOfTheseChainsAreThoseOfThePlainOne) {
  const at::Tensor plain = gradient_of(plain_chain);

  EXPECT_TRUE(at::equal(gradient_of(sqrt_chain), plain));
  EXPECT_TRUE(at::equal(gradient_of(two_level_chain), plain));
}

}  // namespace
}  // namespace reprise
