// SPDX-License-Identifier: Apache-2.0
// What trains, what is kept and what runs again, depending on what requires grad.
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::CountedOps;
using support::expect_region_same_as_plain;
using support::expect_same_as_plain;
using support::is_close;
using support::leaf;
using support::Nest;
using support::ramp;
using support::ramp_leaf;
using support::Step;
using support::Tensors;
using support::values;

at::Tensor frozen(const at::Tensor& tensor) { return tensor.detach(); }

CheckpointOptions counted(const std::shared_ptr<RegionStats>& stats) {
  CheckpointOptions options;
  options.stats = stats;
  return options;
}

// UC-02.
TEST(TrainableParts, LoraTrainsBehindAFrozenWeightAndARawInput) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor frozen_weight = .5 * torch::eye(2, torch::kDouble);
    const at::Tensor a = leaf({.1, .2}, {2, 1});
    const at::Tensor b = leaf({.3, -.3}, {1, 2});
    const at::Tensor x = values({1, 2, -1, .5}, {2, 2});
    const at::Tensor y = region(
        [=](const at::Tensor& t) { return (t.mm(frozen_weight) + t.mm(a).mm(b)).tanh(); }, x);
    EXPECT_TRUE(y.requires_grad());
    y.sum().backward();
    EXPECT_FALSE(x.grad().defined());
    return Step{.outputs = {y}, .leaves = {a, b, x}};
  });

  EXPECT_TRUE(is_close(runs[1].gradients[0], {.09130127336, .06742720983}));
  EXPECT_TRUE(is_close(runs[1].gradients[1], {.3365967249, .2612114939}));
  EXPECT_EQ(runs[1].counts.reruns, 1);
}

TEST(TrainableParts, AnEmbeddingOfIntegersTrainsAsTheFirstLayer) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    torch::nn::Embedding embedding(10, 4);
    torch::nn::Linear linear(4, 3);
    const at::Tensor tokens = torch::tensor({1, 7, 1, 3}, torch::kLong);
    const at::Tensor y =
        region([=](const at::Tensor& t) mutable { return linear(embedding(t)).tanh(); }, tokens);
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {embedding->weight, linear->weight, linear->bias}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 1);
  EXPECT_TRUE(runs[1].gradients[0].defined());
}

TEST(TrainableParts, AFullyFrozenRegionKeepsNothingAndNeverReruns) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor weight = frozen(ramp({3, 3}));
    const at::Tensor head = ramp_leaf({3, 3});
    const at::Tensor input = ramp({2, 3});
    const std::int64_t live_before = live_hooks();
    const at::Tensor y = region([=](const at::Tensor& t) { return t.mm(weight).tanh(); }, input);
    EXPECT_FALSE(y.requires_grad());
    EXPECT_EQ(live_hooks(), live_before);
    y.mm(head).sum().backward();
    return Step{.outputs = {y}, .leaves = {head}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 0);
  EXPECT_EQ(runs[1].counts.values, 0);
  EXPECT_EQ(runs[1].counts.regions, 0);
  EXPECT_EQ(runs[1].counts.dropped_bytes, 0);
}

TEST(TrainableParts, NoGradientWorkIsDoneBelowTheLowestTrainableParameter) {
  const at::Tensor first = frozen(ramp({3, 3}));
  const at::Tensor second = frozen(ramp({3, 3}));
  const at::Tensor third = ramp_leaf({3, 3});
  const CountedOps matmuls("aten::mm");

  at::Tensor h = ramp({2, 3});
  for (const at::Tensor& weight : {first, second, third}) {
    h = checkpoint(
        support::rerunning(), [weight](const at::Tensor& t) { return t.mm(weight).tanh(); }, h);
  }
  EXPECT_EQ(matmuls.count(), 3);
  h.sum().backward();

  // The third again, and the gradient of its weight; its input needs none.
  EXPECT_EQ(matmuls.count(), 5);
}

TEST(TrainableParts, AFrozenBottomInsideARegionGetsNoGradientWork) {
  const at::Tensor bottom = frozen(ramp({3, 3}));
  const at::Tensor top = ramp_leaf({3, 3});
  const auto stats = std::make_shared<RegionStats>();

  checkpoint(
      counted(stats), [=](const at::Tensor& t) { return t.mm(bottom).tanh().mm(top); },
      ramp({2, 3}))
      .sum()
      .backward();

  // One value: the input of the upper mm, for the gradient of its weight. The rerun makes it by an
  // mm and a tanh and stops.
  EXPECT_EQ(stats->total().values, 1);
  EXPECT_EQ(stats->total().recomputed_ops, 2);
}

TEST(TrainableParts, AFrozenLayerBetweenTrainableOnesPassesGradientsDown) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor below = ramp_leaf({3, 3});
    const at::Tensor middle = frozen(ramp({3, 3}));
    const at::Tensor y = region(
        [=](const at::Tensor& t) { return t.mm(below).tanh().mm(middle).tanh(); }, ramp({2, 3}));
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {below, middle}};
  });

  EXPECT_TRUE(runs[1].gradients[0].defined());
  EXPECT_FALSE(runs[1].gradients[1].defined());
}

TEST(TrainableParts, UnderNoGradARegionRunsOnceAndKeepsNothing) {
  const at::Tensor x = ramp_leaf({2, 3});
  const auto stats = std::make_shared<RegionStats>();
  int calls = 0;
  const auto fn = [&](const at::Tensor& t) {
    ++calls;
    return t.sin().exp();
  };

  const torch::NoGradGuard no_grad;
  const at::Tensor y = checkpoint(counted(stats), fn, x);

  EXPECT_EQ(calls, 1);
  EXPECT_EQ(live_hooks(), 0);
  EXPECT_FALSE(y.requires_grad());
  EXPECT_TRUE(support::bitwise_equal(y, x.sin().exp()));
  EXPECT_EQ(stats->total().regions, 0);
}

TEST(TrainableParts, UnderInferenceModeARegionRunsOnceAndKeepsNothing) {
  const at::Tensor x = ramp_leaf({2, 3});
  const c10::InferenceMode inference;

  const at::Tensor y = checkpoint([](const at::Tensor& t) { return t.sin().exp(); }, x);

  EXPECT_TRUE(y.is_inference());
  EXPECT_EQ(live_hooks(), 0);
}

TEST(TrainableParts, EvalModeWithGradDoesCheckpoint) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    torch::nn::Sequential net(torch::nn::Linear(3, 3), torch::nn::Dropout(.5),
                              torch::nn::BatchNorm1d(3), torch::nn::Tanh());
    net->to(torch::kDouble);
    net->eval();
    const at::Tensor x = ramp_leaf({2, 3});
    const at::Tensor y = region([=](const at::Tensor& t) mutable { return net->forward(t); }, x);
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x}, .buffers = net->buffers()};
  });

  EXPECT_EQ(runs[1].counts.reruns, 1);
  EXPECT_GT(runs[1].counts.values, 0);
}

// UC-10.
TEST(TrainableParts, EachResultRequiresGradAsInPlain) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = leaf({.1, .2, .3});
    const at::Tensor w = leaf({1, 2, 3});
    const Tensors y = region(
        [=](const Tensors& in) {
          const at::Tensor& t = in[0];
          return Tensors{(t * w).sin(), (2 * t).detach(), (t * w).argmax()};
        },
        Tensors{x});
    EXPECT_TRUE(y[0].requires_grad());
    EXPECT_FALSE(y[1].requires_grad());
    EXPECT_FALSE(y[2].requires_grad());
    y[0].sum().backward();
    return Step{.outputs = y, .leaves = {x, w}};
  });

  EXPECT_TRUE(is_close(runs[1].gradients[0], {.9950041653, 1.842121988, 1.864829905}));
  EXPECT_TRUE(is_close(runs[1].gradients[1], {.09950041653, .1842121988, .1864829905}));
  EXPECT_EQ(runs[1].counts.reruns, 1);
}

TEST(TrainableParts, ARegionOfDetachedResultsKeepsNothing) {
  const at::Tensor x = leaf({.1, .2, .3});
  const auto stats = std::make_shared<RegionStats>();

  const at::Tensor y = checkpoint(
      counted(stats), [](const at::Tensor& t) { return t.sin().exp().detach(); }, x);

  EXPECT_FALSE(y.requires_grad());
  EXPECT_EQ(live_hooks(), 0);
  EXPECT_EQ(stats->total().dropped_bytes, 0);
  EXPECT_THAT([&] { y.sum().backward(); },
              testing::ThrowsMessage<c10::Error>(
                  testing::HasSubstr("does not require grad and does not have a grad_fn")));
}

TEST(TrainableParts, ARegionWithOneResultInUseRerunsOnce) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = leaf({.1, .2, .3});
    const Tensors y = region(
        [](const Tensors& in) {
          return Tensors{in[0].sin(), in[0].exp(), in[0].tanh()};
        },
        Tensors{x});
    y[1].sum().backward();
    return Step{.outputs = y, .leaves = {x}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 1);
}

TEST(TrainableParts, PartsOfTheFunctionUnderNoGradStayOutOfTheGraph) {
  const auto runs = expect_region_same_as_plain(
      [](const at::Tensor& t) {
        at::Tensor scale;
        {
          const torch::NoGradGuard no_grad;
          scale = t.exp().sum();
        }
        return (t * scale).sin();
      },
      values({.1, .2, .3}));

  EXPECT_EQ(runs[1].counts.reruns, 1);
}

TEST(TrainableParts, ARegionThatSavesNothingInsideNeverNeedsItsFunctionAgain) {
  const auto runs =
      expect_region_same_as_plain([](const at::Tensor& t) { return t + 1; }, values({.1, .2, .3}));

  EXPECT_EQ(runs[1].counts.reruns, 0);
}

// A generator's step of a GAN: the discriminator is frozen for the forward pass only.
TEST(TrainableParts, AParameterThatIsFrozenInForwardAndFreeInBackwardGivesThePlainGradient) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor generator = ramp_leaf({3, 3});
    const at::Tensor discriminator = ramp_leaf({3, 3});
    const at::Tensor x = ramp({2, 3});
    discriminator.set_requires_grad(false);
    const at::Tensor y = region(
        [=](const at::Tensor& t) {
          return (t.mm(generator).tanh() * t).mm(discriminator).sin().mm(discriminator).tanh();
        },
        x);
    discriminator.set_requires_grad(true);
    y.sum().backward();
    EXPECT_TRUE(discriminator.requires_grad());
    EXPECT_FALSE(discriminator.grad().defined());
    return Step{.outputs = {y}, .leaves = {generator}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 1);
}

TEST(TrainableParts, AParameterThatIsFreeInForwardAndFrozenInBackwardGivesThePlainGradient) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor w = ramp_leaf({3, 3});
    const at::Tensor v = ramp_leaf({3, 3});
    const at::Tensor x = ramp({2, 3});
    const at::Tensor y =
        region([=](const at::Tensor& t) { return t.mm(w).tanh().mm(v).sin().mm(w).tanh(); }, x);
    v.set_requires_grad(false);
    y.sum().backward();
    EXPECT_FALSE(v.requires_grad());
    v.set_requires_grad(true);
    return Step{.outputs = {y}, .leaves = {w, v}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 1);
}

}  // namespace
}  // namespace reprise
