// SPDX-License-Identifier: Apache-2.0
// What Recompute::kReplay does otherwise than a rerun: the function runs once, and backward runs
// exactly the ops that it needs. That the results are those of plain training, every other test of
// this folder shows for both.
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "reprise/memory.h"
#include "tests/support/training.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::leaf;
using support::Nest;
using support::ramp;
using support::ramp_leaf;
using support::throws_modified_in_place;
using support::values;

CheckpointOptions counted() {
  CheckpointOptions options;
  options.name = "region";
  options.stats = std::make_shared<RegionStats>();
  return support::replaying(std::move(options));
}

class Replay : public testing::TestWithParam<int> {
 protected:
  CheckpointOptions options = counted();
  Nest region{GetParam(), options};

  std::int64_t recomputed_ops() const { return options.stats->total().recomputed_ops; }
};

TEST_P(Replay, CallsTheFunctionOnce) {
  int calls = 0;
  const at::Tensor x = ramp_leaf({3});
  region(
      [&](const at::Tensor& t) {
        ++calls;
        return t.sin().exp().cos();
      },
      x)
      .sum()
      .backward();

  EXPECT_EQ(calls, 1);
  EXPECT_EQ(live_hooks(), 0);
}

// sin saves its argument, which is there; exp its result, cos its argument: one value.
TEST_P(Replay, RunsTheOpsThatMakeASavedValue) {
  region([](const at::Tensor& t) { return t.sin().exp().cos(); }, ramp_leaf({3})).sum().backward();

  EXPECT_EQ(recomputed_ops(), 2);
}

TEST_P(Replay, RunsNoOpWhoseResultIsStillThere) {
  const at::Tensor y = region([](const at::Tensor& t) { return t.sin().exp(); }, ramp_leaf({3}));
  y.sum().backward();

  EXPECT_EQ(recomputed_ops(), 0);
}

TEST_P(Replay, RunsNoOpThatOnlyTheResultNeeded) {
  region([](const at::Tensor& t) { return (t.sin() + t.relu().mean()) * 2 + 1; }, ramp_leaf({3}))
      .sum()
      .backward();

  EXPECT_EQ(recomputed_ops(), 1);  // relu
}

TEST_P(Replay, ChangesStatisticsOnce) {
  torch::nn::BatchNorm1d norm(3);
  norm->to(torch::kDouble);
  region([norm](const at::Tensor& t) mutable { return norm(t.sin()).exp(); }, ramp_leaf({4, 3}))
      .sum()
      .backward();

  EXPECT_EQ(norm->num_batches_tracked.item<std::int64_t>(), 1);
  EXPECT_TRUE(torch::allclose(norm->running_mean, .1 * ramp({4, 3}).sin().mean(0)));
}

TEST_P(Replay, ASecondBackwardRunsTheOpsAgain) {
  const at::Tensor x = ramp_leaf({3});
  at::Tensor first;
  {
    const at::Tensor y = region([](const at::Tensor& t) { return t.sin().exp().cos(); }, x).sum();
    y.backward({}, /*retain_graph=*/true);
    first = x.grad().clone();
    x.mutable_grad() = at::Tensor();
    y.backward();
  }

  EXPECT_TRUE(bitwise_equal(x.grad(), first));
  EXPECT_EQ(recomputed_ops(), 4);
  EXPECT_EQ(live_hooks(), 0);
}

TEST_P(Replay, AnInputChangedInBetweenIsAnError) {
  const at::Tensor x = ramp_leaf({3});
  {
    const at::Tensor y = region([](const at::Tensor& t) { return t.sin().exp(); }, x).sum();
    {
      const torch::NoGradGuard no_grad;
      x.add_(1);
    }
    EXPECT_THAT([&] { y.backward(); }, throws_modified_in_place());
  }
  EXPECT_FALSE(x.grad().defined());
  EXPECT_EQ(live_hooks(), 0);
}

TEST_P(Replay, AnExceptionOfTheFunctionLeavesNothingBehind) {
  const auto fails = [](const at::Tensor& t) -> at::Tensor {
    const at::Tensor h = t.sin().exp();
    throw std::domain_error("no");
  };
  EXPECT_THROW(region(fails, ramp_leaf({3})), std::domain_error);

  EXPECT_EQ(live_hooks(), 0);
}

// Dropout draws the numbers it drew, and the generator goes on from where it was.
TEST_P(Replay, DrawsTheSameNumbers) {
  const at::Tensor x = ramp_leaf({64});
  torch::manual_seed(3);
  const at::Tensor y = torch::dropout(x, .5, true).sin().sum();
  const at::Tensor state = support::default_generator_state();
  y.backward();
  const at::Tensor plain = x.grad().clone();
  x.mutable_grad() = at::Tensor();

  torch::manual_seed(3);
  region([](const at::Tensor& t) { return torch::dropout(t, .5, true).sin(); }, x).sum().backward();

  EXPECT_TRUE(bitwise_equal(x.grad(), plain));
  EXPECT_TRUE(bitwise_equal(support::default_generator_state(), state));
}

// An in-place op works on a copy of what others still need.
TEST_P(Replay, InPlaceOpsLeaveSavedValuesAlone) {
  const auto fn = [](const at::Tensor& t) {
    const at::Tensor h = t.sin();
    const at::Tensor kept = h.clone().exp_();  // saves its result
    return (kept.mul(2).relu_() * kept).add_(1).cos();
  };
  const at::Tensor x = ramp_leaf({3});
  fn(x).sum().backward();
  const at::Tensor plain = x.grad().clone();
  x.mutable_grad() = at::Tensor();
  region(fn, x).sum().backward();

  EXPECT_TRUE(bitwise_equal(x.grad(), plain));
}

INSTANTIATE_TEST_SUITE_P(Replay, Replay, testing::Values(1, 2, 3));

// --- Memory: 16 layers of tanh, which saves its result. ---

constexpr std::int64_t kLayerBytes = 4000;
constexpr std::int64_t kLoss = 4;
constexpr std::int64_t kLossGrad = 4;

at::Tensor layers(at::Tensor x, int count) {
  for (int i = 0; i < count; ++i) {
    x = x.tanh();
  }
  return x;
}

at::Tensor floats_with_gradient() {
  const at::Tensor x = torch::ones({1000}, torch::requires_grad());
  x.mutable_grad() = torch::zeros_like(x);
  return x;
}

TEST(ReplayMemory, AfterForwardNothingOfARegionIsLeft) {
  const at::Tensor x = floats_with_gradient();
  const MemoryMeter meter;
  const at::Tensor loss = checkpoint(
                              counted(), [](const at::Tensor& t) { return layers(t, 16); }, x)
                              .sum();

  EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), kLoss);
}

// All 16 outputs, the gradient that arrives and the one that the first node makes.
TEST(ReplayMemory, BackwardOfOneRegionHoldsItsValues) {
  const at::Tensor x = floats_with_gradient();
  const MemoryMeter meter;
  checkpoint(
      counted(), [](const at::Tensor& t) { return layers(t, 16); }, x)
      .sum()
      .backward();

  EXPECT_EQ(meter.peak_bytes(), 18 * kLayerBytes + kLoss + kLossGrad);
  EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), 0);
}

// The starts of the inner regions 1 and 2, the 4 outputs of the last one, which needs its own start
// no longer, and two gradients. The first inner region starts from what is there.
TEST(ReplayMemory, RegionsInARegionHoldTheirStartsAndOneOfThem) {
  const at::Tensor x = floats_with_gradient();
  const CheckpointOptions options = counted();
  const MemoryMeter meter;
  checkpoint(
      options,
      [&](at::Tensor t) {
        for (int i = 0; i < 4; ++i) {
          t = checkpoint(
              options, [](const at::Tensor& h) { return layers(h, 4); }, t);
        }
        return t;
      },
      x)
      .sum()
      .backward();

  EXPECT_EQ(meter.peak_bytes(), (2 + 4 + 2) * kLayerBytes + kLoss + kLossGrad);
  EXPECT_EQ(meter.live_bytes() - meter.start_bytes(), 0);
  // The outer region runs the first 12 layers; each inner one its own 4, but for the last output,
  // which is still there.
  EXPECT_EQ(options.stats->total().recomputed_ops, 12 + 15);
}

// Three levels: what the middle regions start from is brought back once, not by each of them.
TEST(ReplayOfTrees, RunsEachLevelOnce) {
  const auto inner = [](const at::Tensor& t) {
    return checkpoint([](const at::Tensor& u) { return u.sin().exp().cos(); }, t);
  };
  CheckpointOptions options = support::replaying();
  const auto recomputed = [&](int middles) {
    options.stats = std::make_shared<RegionStats>();
    const auto whole = [&](const at::Tensor& t) {
      at::Tensor h = t;
      for (int i = 0; i < middles; ++i) {
        h = checkpoint(options, inner, h);
      }
      return h;
    };
    checkpoint(options, whole, ramp_leaf({3})).sum().backward();
    return options.stats->total().recomputed_ops;
  };
  // The outermost region brings back what each middle region starts from but the first, three ops
  // each; a middle region has nothing to do for itself.
  EXPECT_EQ(recomputed(4), 3 * 3);
  EXPECT_EQ(recomputed(8), 7 * 3);
}

// Its bytes cannot be copied as a storage; the op before the write must not read what is there
// after.
TEST(ReplayOfSparse, AWriteToACapturedTensorIsNeverAnotherGradient) {
  const auto gradient = [](bool as_region) {
    const at::Tensor sparse = torch::eye(3, torch::kDouble).to_sparse();
    const auto fn = [&](const at::Tensor& t) {
      const at::Tensor h = at::_sparse_mm(sparse, t);
      sparse.mul_(2);
      return h.sin() + t;
    };
    const at::Tensor x = ramp_leaf({3, 3});
    (as_region ? checkpoint(support::replaying(), fn, x) : fn(x)).sum().backward();
    return x.grad();
  };
  // Plainly, autograd has saved the sparse tensor and refuses.
  EXPECT_THAT([&] { gradient(false); }, throws_modified_in_place());
  EXPECT_THAT([&] { gradient(true); }, throws_modified_in_place());
}

TEST(ReplayOfSparse, AWrittenTensorThatAutogradDidNotSaveIsNeverReadAgain) {
  const auto gradient = [](bool as_region) {
    const at::Tensor sparse = torch::eye(3, torch::kDouble).to_sparse();
    const auto fn = [&](const at::Tensor& t) {
      const at::Tensor scale = sparse.to_dense();
      sparse.mul_(2);
      return (t * scale).sin();
    };
    const at::Tensor x = ramp_leaf({3, 3});
    (as_region ? checkpoint(support::replaying(), fn, x) : fn(x)).sum().backward();
    return x.grad();
  };
  EXPECT_TRUE(bitwise_equal(gradient(true), gradient(false)));
}

// A rerun would find the new storage from the start (docs/checkpoint.md).
TEST(ReplayOfReplacedStorage, ACapturedTensorIsReadAsItWas) {
  const auto gradient = [](bool as_region) {
    const at::Tensor factor = ramp({3}).exp();
    const auto fn = [&](const at::Tensor& t) {
      const at::Tensor sum = t + factor;
      factor.set_(ramp({3}).cos());  // nobody else holds the exponential
      return (sum * factor).sin();
    };
    const at::Tensor x = ramp_leaf({3});
    (as_region ? checkpoint(support::replaying(), fn, x) : fn(x)).sum().backward();
    return x.grad();
  };
  EXPECT_TRUE(bitwise_equal(gradient(true), gradient(false)));
  EXPECT_EQ(live_hooks(), 0);
}

}  // namespace
}  // namespace reprise
