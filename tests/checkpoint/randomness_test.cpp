// SPDX-License-Identifier: Apache-2.0
// Reruns draw the numbers of the first run, and nobody else notices that they drew any.
#include <memory>
#include <random>

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::expect_region_same_as_plain;
using support::expect_same_as_plain;
using support::Nest;
using support::ramp;
using support::ramp_leaf;
using support::run_step;
using support::Step;
using support::Tensors;

// What a CPU generator's state takes.
constexpr std::int64_t kStateBytes = 5056;

at::Tensor ones_leaf(c10::IntArrayRef sizes) {
  return torch::ones(sizes, torch::kDouble).requires_grad_();
}

// UC-03, with pitfall P3: the numbers drawn between and after the passes are those of plain.
TEST(Randomness, DropoutMasksAndTheStreamOfTheGeneratorAreThoseOfPlain) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    torch::manual_seed(7);
    const at::Tensor x = ones_leaf({6});
    const at::Tensor y = region(
        [](const at::Tensor& t) { return 3 * torch::dropout(2 * t, .5, /*train=*/true); }, x);
    const at::Tensor between = torch::rand({2});
    y.sum().backward();
    const at::Tensor after = torch::rand({2});
    EXPECT_TRUE(bitwise_equal(x.grad(), y));
    return Step{.outputs = {y, between, after}, .leaves = {x}};
  });

  const auto twelves = (runs[1].outputs[0] == 12).sum().item<std::int64_t>();
  const auto zeros = (runs[1].outputs[0] == 0).sum().item<std::int64_t>();
  EXPECT_EQ(twelves + zeros, 6);
  EXPECT_EQ(runs[1].counts.reruns, 1);
  EXPECT_EQ(runs[1].counts.kept_bytes, kStateBytes);
}

// E2.
class DropoutRate : public testing::TestWithParam<double> {};

TEST_P(DropoutRate, OfEachLayerIsAppliedWithTheSameMask) {
  const double rate = GetParam();
  const auto runs = expect_same_as_plain([rate](const Nest& region) {
    Tensors weights;
    at::Tensor h = ramp({8, 16});
    for (int i = 0; i < 4; ++i) {
      weights.push_back(ramp_leaf({16, 16}));
      h = region(
          [rate, w = weights.back()](const at::Tensor& t) {
            return torch::dropout(t.mm(w).tanh(), rate, /*train=*/true);
          },
          h);
    }
    h.sum().backward();
    return Step{.outputs = {h}, .leaves = weights};
  });

  EXPECT_EQ(runs[1].counts.reruns, 4);
}

INSTANTIATE_TEST_SUITE_P(Randomness, DropoutRate, testing::Values(.1, .5));

TEST(Randomness, NoStateIsStoredWhereNoNumberIsDrawn) {
  const auto runs = expect_region_same_as_plain(
      [](const at::Tensor& t) { return torch::dropout(t.sin(), .5, /*train=*/false).exp(); },
      ramp({4}));

  EXPECT_EQ(runs[1].counts.kept_bytes, 0);
}

TEST(Randomness, WithPreservationOffTheRandomOpsAreCounted) {
  CheckpointOptions options = support::rerunning();
  options.preserves_rng = false;
  const support::Run run = run_step(
      [](const Nest& region) {
        const at::Tensor x = ones_leaf({64});
        const at::Tensor y = region(
            [](const at::Tensor& t) {
              return torch::dropout(torch::dropout(t, .5, true), .5, true).sin();
            },
            x);
        y.sum().backward();
        return Step{.outputs = {y}, .leaves = {x}};
      },
      1, options);

  EXPECT_EQ(run.counts.unpreserved_random, 2);
  EXPECT_EQ(run.counts.kept_bytes, 0);
}

// P1.
TEST(Randomness, AGeneratorPassedToAnOpIsSeenWithoutRegistration) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    at::Generator own = at::make_generator<at::CPUGeneratorImpl>(11);
    const at::Tensor x = ramp_leaf({8});
    const at::Tensor y = region(
        [=](const at::Tensor& t) { return (t * at::empty_like(t).normal_(0, 1, own)).sin(); }, x);
    const at::Tensor between = at::empty({2}, torch::kDouble).normal_(0, 1, own);
    y.sum().backward();
    return Step{.outputs = {y, between},
                .leaves = {x},
                .buffers = {own.get_state(), at::empty({2}, torch::kDouble).normal_(0, 1, own)}};
  });

  EXPECT_EQ(runs[1].counts.kept_bytes, kStateBytes);
}

TEST(Randomness, ARegisteredGeneratorThatIsDrawnFromByHandIsRestored) {
  const at::Generator own = at::make_generator<at::CPUGeneratorImpl>(11);
  CheckpointOptions options;
  options.generators = {own};
  const auto runs = expect_same_as_plain(
      [own](const Nest& region) {
        auto* const engine = at::check_generator<at::CPUGeneratorImpl>(own);
        engine->set_current_seed(11);
        const at::Tensor x = ramp_leaf({8});
        const at::Tensor y = region(
            [engine](const at::Tensor& t) { return (t * (engine->random() % 1000)).sin(); }, x);
        const auto between = static_cast<double>(engine->random());
        y.sum().backward();
        const auto after = static_cast<double>(engine->random());
        return Step{.outputs = {y, support::values({between, after})}, .leaves = {x}};
      },
      options);

  EXPECT_EQ(runs[1].counts.kept_bytes, kStateBytes);
}

TEST(Randomness, ARegisteredGeneratorThatIsNotUsedCostsNothing) {
  CheckpointOptions options;
  options.generators = {at::make_generator<at::CPUGeneratorImpl>(11)};
  const auto runs =
      expect_region_same_as_plain([](const at::Tensor& t) { return t.sin(); }, ramp({8}), options);

  EXPECT_EQ(runs[1].counts.kept_bytes, 0);
}

TEST(Randomness, ARandomSourceOfTheUsersDecidesTheSameInTheRerun) {
  std::mt19937 source;
  CheckpointOptions options;
  options.states = {copied_state(source)};
  int skipped = 0;
  const auto runs = expect_same_as_plain(
      [&](const Nest& region) {
        source.seed(3);
        skipped = 0;
        const at::Tensor x = ramp_leaf({8});
        at::Tensor h = x;
        for (int layer = 0; layer < 8; ++layer) {
          h = region(
              [&source](const at::Tensor& t) { return source() % 2 == 0 ? t : (3 * t).sin(); }, h);
          skipped += h.grad_fn() == nullptr ? 1 : 0;
        }
        h.sum().backward();
        const auto after = static_cast<double>(source());
        return Step{.outputs = {h, support::values({after})}, .leaves = {x}};
      },
      options);

  EXPECT_GT(runs[1].counts.reruns, 0);
  EXPECT_LT(runs[1].counts.reruns, 8);
}

TEST(Randomness, TwoForwardsBeforeTwoBackwardsDrawTheirOwnNumbersAgain) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = ones_leaf({32});
    const auto fn = [](const at::Tensor& t) { return torch::dropout(t, .5, true).sin(); };
    const at::Tensor first = region(fn, x);
    const at::Tensor second = region(fn, x);
    first.sum().backward();
    const at::Tensor after_first = x.grad().clone();
    second.sum().backward();
    return Step{.outputs = {first, second, after_first}, .leaves = {x}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 2);
}

TEST(Randomness, FactoriesAndSamplersAreRepeated) {
  const auto runs = expect_region_same_as_plain(
      [](const at::Tensor& t) {
        const at::Tensor noise = torch::randn_like(t) + torch::rand({6}, torch::kDouble);
        const at::Tensor order = torch::randperm(6);
        const at::Tensor chosen = torch::multinomial(t.detach().exp(), 4, /*replacement=*/true);
        return (t * noise).index_select(0, order).index_select(0, chosen).sin();
      },
      ramp({6}));

  EXPECT_EQ(runs[1].counts.reruns, 1);
}

TEST(Randomness, NativeDropoutAndAlphaDropoutAndFeatureDropoutAreRepeated) {
  expect_region_same_as_plain(
      [](const at::Tensor& t) {
        const at::Tensor native = std::get<0>(torch::native_dropout(t, .5, true));
        const at::Tensor alpha = torch::alpha_dropout(native.sin(), .3, true);
        return torch::feature_dropout(alpha.exp(), .3, true).sin();
      },
      ramp({2, 3, 4}));
}

TEST(Randomness, AttentionWithDropoutIsRepeated) {
  expect_region_same_as_plain(
      [](const at::Tensor& t) {
        return at::scaled_dot_product_attention(t, t.sin(), t.cos(), {}, /*dropout_p=*/.3).tanh();
      },
      ramp({1, 2, 4, 8}));
}

// Saves a noise buffer that its kernel fills after autograd has saved it.
TEST(Randomness, RandomisedReluIsRepeatedWithTheNoiseThatItFillsIn) {
  const auto runs = expect_region_same_as_plain(
      [](const at::Tensor& t) { return torch::rrelu(t, .1, .9, /*training=*/true); }, ramp({32}));

  EXPECT_EQ(runs[1].counts.reruns, 1);
}

TEST(Randomness, RandomisedReluAmongOtherLayersIsRepeated) {
  expect_region_same_as_plain(
      [](const at::Tensor& t) {
        at::Tensor h = torch::rrelu(t.sin(), .1, .9, /*training=*/true);
        h = 2 * h;
        torch::rrelu_(h, .1, .9, /*training=*/true);
        return torch::dropout(h, .5, true).exp();
      },
      ramp({32}));
}

TEST(Randomness, HashesOfValuesAgreeWhenNumbersAreRepeated) {
  CheckpointOptions options;
  options.determinism_check = DeterminismCheck::kValues;
  expect_region_same_as_plain(
      [](const at::Tensor& t) {
        return torch::rrelu(torch::dropout(t, .5, true).sin(), .1, .9, true).exp();
      },
      ramp({32}), options);
}

}  // namespace
}  // namespace reprise
