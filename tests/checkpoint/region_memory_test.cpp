// SPDX-License-Identifier: Apache-2.0
// What regions keep, to the byte (UC-15), and that steps do not grow (UC-11).
#include <memory>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "reprise/memory.h"
#include "tests/support/training.h"

namespace reprise {
namespace {

using support::Nest;
using support::ramp;
using support::ramp_leaf;
using testing::Each;

constexpr std::int64_t kBatch = 512;
constexpr std::int64_t kWidth = 256;
constexpr std::int64_t kLayerBytes = kBatch * kWidth * 4;  // 524,288
constexpr std::int64_t kLossBytes = 4;
constexpr std::int64_t kInnerGradBytes = 3 * 8;

// 8 x (Linear(256, 256) + tanh).
struct Layers {
  Layers() {
    for (int i = 0; i < 8; ++i) {
      linears.emplace_back(kWidth, kWidth);
    }
  }
  at::Tensor forward(at::Tensor h, const std::function<void(const at::Tensor&)>& see = {}) {
    for (torch::nn::Linear& linear : linears) {
      h = linear(h).tanh();
      if (see) {
        see(h);
      }
    }
    return h;
  }
  std::vector<torch::nn::Linear> linears;
};

at::Tensor input() { return torch::ones({kBatch, kWidth}); }

at::Tensor loss_of(int depth, Layers& layers, const at::Tensor& x) {
  return Nest(depth, {})([&layers](const at::Tensor& t) { return layers.forward(t); }, x).sum();
}

TEST(RegionMemory, AfterForwardOnlyTheInputIsKept) {
  Layers layers;
  const MemoryMeter meter;

  const at::Tensor loss = loss_of(1, layers, input());

  EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), kLayerBytes + kLossBytes);
}

TEST(RegionMemory, AfterForwardOnlyTheInputOfTheOutermostRegionIsKept) {
  Layers layers;
  const MemoryMeter meter;

  const at::Tensor loss = loss_of(3, layers, input());

  EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), kLayerBytes + kLossBytes);
}

TEST(RegionMemory, ValuesGoLayerByLayerDuringBackward) {
  Layers layers;
  loss_of(0, layers, input()).backward();  // from here on gradients are added to in place
  const MemoryMeter meter;
  std::vector<std::int64_t> live;
  {
    const at::Tensor y = checkpoint(
        [&](const at::Tensor& t) {
          return layers.forward(t, [&](const at::Tensor& h) {
            h.register_hook(
                [&](const at::Tensor& /*grad*/) { live.push_back(meter.live_bytes()); });
          });
        },
        input());
    y.sum().backward();
  }

  ASSERT_EQ(live.size(), 8u);
  // The hook of the last layer's output runs before the rerun.
  std::vector<std::int64_t> freed;
  for (std::size_t i = 2; i < live.size(); ++i) {
    freed.push_back(live[i - 1] - live[i]);
  }
  EXPECT_THAT(freed, Each(kLayerBytes));
  EXPECT_EQ(meter.live_bytes(), meter.start_bytes());
}

TEST(RegionMemory, ValuesGoLayerByLayerUnderRetainGraphToo) {
  Layers layers;
  loss_of(0, layers, input()).backward();
  const MemoryMeter meter;
  std::vector<std::int64_t> live;
  {
    const at::Tensor y = checkpoint(
        [&](const at::Tensor& t) {
          return layers.forward(t, [&](const at::Tensor& h) {
            h.register_hook(
                [&](const at::Tensor& /*grad*/) { live.push_back(meter.live_bytes()); });
          });
        },
        input());
    const at::Tensor loss = y.sum();
    const std::int64_t before = meter.live_bytes();
    loss.backward({}, /*retain_graph=*/true);
    EXPECT_EQ(meter.live_bytes(), before);
  }

  ASSERT_EQ(live.size(), 8u);
  std::vector<std::int64_t> freed;
  for (std::size_t i = 2; i < live.size(); ++i) {
    freed.push_back(live[i - 1] - live[i]);
  }
  EXPECT_THAT(freed, Each(kLayerBytes));
}

// Each hook runs between two nodes of the outer backward.
TEST(RegionMemory, ValuesGoLayerByLayerAlsoWhenHooksRunBackwardsOfTheirOwn) {
  Layers layers;
  loss_of(0, layers, input()).backward();
  const at::Tensor plain_grad = layers.linears[0]->weight.grad().clone();
  const at::Tensor inner_x = ramp_leaf({3});
  const at::Tensor inner =
      checkpoint([](const at::Tensor& t) { return t.sin().exp().cos(); }, inner_x).sum();
  const at::Tensor plain_inner =
      torch::autograd::grad({inner_x.sin().exp().cos().sum()}, {inner_x})[0];
  std::vector<at::Tensor> inner_grads;
  const MemoryMeter meter;
  std::vector<std::int64_t> live;
  {
    const at::Tensor y = checkpoint(
        [&](const at::Tensor& t) {
          return layers.forward(t, [&](const at::Tensor& h) {
            h.register_hook([&](const at::Tensor& /*grad*/) {
              live.push_back(meter.live_bytes());
              inner_grads.push_back(
                  torch::autograd::grad({inner}, {inner_x}, {}, /*retain_graph=*/true)[0]);
            });
          });
        },
        input());
    const at::Tensor loss = y.sum();
    const std::int64_t before = meter.live_bytes();
    loss.backward({}, /*retain_graph=*/true);
    EXPECT_EQ(meter.live_bytes() - before, 8 * kInnerGradBytes);
  }

  ASSERT_EQ(live.size(), 8u);
  std::vector<std::int64_t> freed;
  for (std::size_t i = 2; i < live.size(); ++i) {
    freed.push_back(live[i - 1] - live[i]);
  }
  EXPECT_THAT(freed, Each(kLayerBytes - kInnerGradBytes));
  EXPECT_TRUE(support::bitwise_equal(layers.linears[0]->weight.grad(), 2 * plain_grad));
  EXPECT_TRUE(support::bitwise_equal(inner_grads, support::Tensors(8, plain_inner)));
}

std::int64_t peak_of(const std::function<at::Tensor()>& loss) {
  const MemoryMeter meter;
  loss().backward();
  return meter.peak_bytes();
}

TEST(RegionMemory, ThePeakOfOneRegionIsThatOfPlainPlusALayer) {
  Layers layers;
  loss_of(0, layers, input()).backward();

  const std::int64_t plain = peak_of([&] { return loss_of(0, layers, input()); });
  const std::int64_t region = peak_of([&] { return loss_of(1, layers, input()); });

  EXPECT_LE(region, plain + kLayerBytes);
}

TEST(RegionMemory, FourRegionsPeakNearOneRerunAndFourInputs) {
  std::vector<Layers> blocks(4);
  const auto loss = [&](int depth) {
    at::Tensor h = input();
    for (Layers& block : blocks) {
      h = Nest(depth, {})([&block](const at::Tensor& t) { return block.forward(t); }, h);
    }
    return h.sum();
  };
  loss(0).backward();

  // 8 values of the rerun, 4 inputs, and two tensors that a node works on.
  EXPECT_LE(peak_of([&] { return loss(1); }), (8 + 4 + 2) * kLayerBytes + 2 * kWidth * kWidth * 4);
  EXPECT_GT(peak_of([&] { return loss(0); }), 32 * kLayerBytes);
}

TEST(RegionMemory, TwoThousandSmallRegionsKeepTheirInputsAlone) {
  const at::Tensor w = ramp_leaf({4, 4});
  const at::Tensor x = ramp({4, 4});
  const MemoryMeter meter;
  {
    at::Tensor h = x;
    for (int i = 0; i < 2000; ++i) {
      h = checkpoint([&w](const at::Tensor& t) { return t.mm(w).tanh(); }, h);
    }
    // The input of the first is outside, the result of the last is held by us.
    EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), 2000 * 4 * 4 * 8);
    h.sum().backward();
  }
  EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), 4 * 4 * 8);  // the gradient
  EXPECT_EQ(live_hooks(), 0);
}

TEST(RegionMemory, AnInputThatNothingNeedsIsNotKept) {
  const at::Tensor x = ramp_leaf({4096});
  const MemoryMeter meter;

  const at::Tensor y = checkpoint([](const at::Tensor& t) { return t + 1; }, x * 2).sum();

  EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), 8);
}

TEST(RegionMemory, AWrittenBufferIsCopiedOnceAndOnlyWhileItIsNeeded) {
  const at::Tensor buffer = ramp({4096});
  const at::Tensor x = ramp_leaf({16});
  const MemoryMeter meter;
  {
    const at::Tensor y = checkpoint(
        [&](const at::Tensor& t) {
          buffer.mul_(2);
          buffer.add_(1);
          return (t * buffer.sum()).sin();
        },
        x);
    EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), 4096 * 8 + 16 * 8);
    y.sum().backward();
    EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), 2 * 16 * 8);  // y and the gradient
  }
}

// UC-11: 20 steps of random lengths.
TEST(RegionMemory, TrainingOnSequencesOfRandomLengthsDoesNotGrow) {
  namespace rnn = torch::nn::utils::rnn;
  torch::manual_seed(1);
  torch::nn::GRU gru(torch::nn::GRUOptions(2, 3).batch_first(true));
  gru->to(torch::kDouble);
  const MemoryMeter meter;
  std::vector<std::int64_t> live;
  for (int step = 0; step < 20; ++step) {
    const std::int64_t longest = torch::randint(2, 9, {}).item<std::int64_t>();
    const at::Tensor lengths = torch::tensor({longest, longest / 2}, torch::kLong);
    const at::Tensor x = torch::randn({2, longest, 2}, torch::kDouble);
    const at::Tensor y = checkpoint(
        [&, lengths](const at::Tensor& t) {
          const auto packed = rnn::pack_padded_sequence(t, lengths, /*batch_first=*/true);
          return std::get<0>(rnn::pad_packed_sequence(
              std::get<0>(gru->forward_with_packed_input(packed)), /*batch_first=*/true));
        },
        x);
    y.square().sum().backward();
    live.push_back(meter.live_bytes() - static_cast<std::int64_t>(x.nbytes()) -
                   static_cast<std::int64_t>(y.nbytes()));
  }

  EXPECT_THAT(live, Each(live[0]));
  EXPECT_EQ(live_hooks(), 0);
}

}  // namespace
}  // namespace reprise
