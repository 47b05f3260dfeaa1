// SPDX-License-Identifier: Apache-2.0
// How often functions and ops run: E1, E4, E5 and early stop.
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::expect_same_as_plain;
using support::Nest;
using support::ramp;
using support::ramp_leaf;
using support::Step;
using support::Tensors;

// E1.
TEST(RecomputeCounts, EachLayerOfAnMlpRunsTwice) {
  std::vector<int> calls_by_depth;
  const auto runs = expect_same_as_plain([&](const Nest& region) {
    auto calls = std::make_shared<int>(0);
    Tensors weights;
    at::Tensor h = torch::randn({64, 256});
    for (int layer = 0; layer < 8; ++layer) {
      weights.push_back((torch::randn({256, 256}) / 16).requires_grad_());
      h = region(
          [calls, w = weights.back()](const at::Tensor& t) {
            ++*calls;
            return t.mm(w).relu();
          },
          h);
    }
    h.square().mean().backward();
    calls_by_depth.push_back(*calls);
    return Step{.outputs = {h}, .leaves = weights};
  });

  EXPECT_EQ(calls_by_depth[0], 8);
  EXPECT_EQ(calls_by_depth[1], 16);
  EXPECT_EQ(runs[1].counts.regions, 8);
  EXPECT_EQ(runs[1].counts.reruns, 8);
}

// E4: x -> sin -> exp -> side effect. exp saves its result, so all that is needed is there before
// the side effect.
TEST(RecomputeCounts, EarlyStopSkipsWhatComesAfterTheLastNeededValue) {
  int side_effects = 0;
  const auto step = [&](bool stops_early) {
    side_effects = 0;
    CheckpointOptions options = support::rerunning();
    options.stops_early = stops_early;
    const at::Tensor x = ramp_leaf({3});
    checkpoint(
        options,
        [&](const at::Tensor& t) {
          const at::Tensor y = t.sin().exp();
          ++side_effects;
          return y;
        },
        x)
        .sum()
        .backward();
    return x.grad();
  };

  const at::Tensor early = step(true);
  EXPECT_EQ(side_effects, 1);
  const at::Tensor whole = step(false);
  EXPECT_EQ(side_effects, 2);
  EXPECT_TRUE(bitwise_equal(early, whole));
}

TEST(RecomputeCounts, OpsThatOnlyMakeTheResultAreNotRecomputed) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = ramp_leaf({3});
    // cos, sin, mul and add; sin saves what cos made, and nothing after that is saved.
    const at::Tensor y = region([](const at::Tensor& t) { return t.cos().sin() * 2 + 1; }, x);
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x}};
  });

  EXPECT_EQ(runs[1].counts.recomputed_ops, 1);  // cos
  EXPECT_EQ(runs[1].counts.values, 2);          // t and cos(t)
}

TEST(RecomputeCounts, AResultThatWasDroppedIsNotRecomputedFor) {
  const at::Tensor x = ramp_leaf({3});
  int tails = 0;
  at::Tensor y;
  {
    const std::vector<at::Tensor> all = checkpoint(
        [&](const at::Tensor& t) {
          const at::Tensor h = t.sin();
          const at::Tensor first = h.cos();
          ++tails;
          return std::vector<at::Tensor>{first, h.exp().tanh()};
        },
        x);
    y = all[0];
  }
  y.sum().backward();

  EXPECT_EQ(tails, 1);
}

// E5: a chain of 16 layers in a tree of regions, two to a level.
at::Tensor run_tree(const Tensors& weights, const at::Tensor& t, int first, int last, int levels,
                    const std::shared_ptr<int>& leaves) {
  if (levels == 0) {
    at::Tensor h = t;
    for (int layer = first; layer < last; ++layer) {
      ++*leaves;
      h = h.mm(weights[static_cast<std::size_t>(layer)]).tanh();
    }
    return h;
  }
  const int middle = first + (last - first) / 2;
  const auto half = [=](int from, int to) {
    return
        [=](const at::Tensor& in) { return run_tree(weights, in, from, to, levels - 1, leaves); };
  };
  return checkpoint(support::rerunning(), half(middle, last),
                    checkpoint(support::rerunning(), half(first, middle), t));
}

int leaf_runs(int levels, Tensors* gradients) {
  torch::manual_seed(2);
  Tensors weights;
  for (int layer = 0; layer < 16; ++layer) {
    weights.push_back(torch::randn({4, 4}, torch::kDouble).requires_grad_());
  }
  const auto leaves = std::make_shared<int>(0);
  run_tree(weights, ramp({2, 4}), 0, 16, levels, leaves).sum().backward();
  for (const at::Tensor& weight : weights) {
    gradients->push_back(weight.grad());
  }
  return *leaves;
}

struct LeafRuns {
  int levels;
  int runs;
};

class TreeOfRegions : public testing::TestWithParam<LeafRuns> {};

TEST_P(TreeOfRegions, RunsItsLeavesAsOftenAsFollowsFromItsDepth) {
  Tensors plain;
  leaf_runs(0, &plain);

  Tensors gradients;
  EXPECT_EQ(leaf_runs(GetParam().levels, &gradients), GetParam().runs);
  EXPECT_TRUE(bitwise_equal(gradients, plain));
  EXPECT_EQ(live_hooks(), 0);
}

// Each level runs the lower half of each of its regions once more, to have the input of the upper
// half: the leaves run once, once more per level for the lower half, and once in their own rerun.
INSTANTIATE_TEST_SUITE_P(RecomputeCounts, TreeOfRegions,
                         testing::Values(LeafRuns{0, 16},  // plain
                                         LeafRuns{1, 16 + 16},
                                         LeafRuns{2, 16 + 8 + 16},  // 8: the lower quarters
                                         LeafRuns{3, 16 + 8 + 8 + 16},
                                         LeafRuns{4, 16 + 8 + 8 + 8 + 16}));

TEST(RecomputeCounts, StatsAreKeptByName) {
  const auto stats = std::make_shared<RegionStats>();
  const at::Tensor x = ramp_leaf({4});
  const auto named = [&](const std::string& name) {
    CheckpointOptions options = support::rerunning();
    options.name = name;
    options.stats = stats;
    return options;
  };
  const at::Tensor h = checkpoint(
      named("lower"), [](const at::Tensor& t) { return t.cos().sin(); }, x);
  checkpoint(
      named("upper"), [](const at::Tensor& t) { return t.cos().sin().cos(); }, h)
      .sum()
      .backward();

  EXPECT_EQ(stats->by_name().at("lower").recomputed_ops, 1);
  EXPECT_EQ(stats->by_name().at("upper").recomputed_ops, 2);
  EXPECT_EQ(stats->by_name().at("lower").dropped_bytes, 4 * 8);
  EXPECT_EQ(stats->by_name().at("upper").dropped_bytes, 2 * 4 * 8);
  EXPECT_EQ(stats->total().reruns, 2);
  stats->clear();
  EXPECT_EQ(stats->total().regions, 0);
}

TEST(RecomputeCounts, ARegionThatSavesNothingIsReportedAsSuch) {
  const auto stats = std::make_shared<RegionStats>();
  CheckpointOptions options;
  options.name = "linear";
  options.stats = stats;
  torch::nn::Linear layer(3, 3);
  checkpoint(options, layer, torch::ones({2, 3})).sum().backward();

  EXPECT_EQ(stats->total().dropped_bytes, 0);
  EXPECT_THAT(stats->text(), testing::HasSubstr("linear: 1 regions"));
  EXPECT_THAT(stats->text(), testing::HasSubstr("saves 0 bytes"));
}

}  // namespace
}  // namespace reprise
