// SPDX-License-Identifier: Apache-2.0
// checkpoint_sequential (UC-12, E3, P41).
#include "reprise/checkpoint_sequential.h"

#include <memory>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::ramp_leaf;
using support::Tensors;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;
using Stage = std::function<at::Tensor(const at::Tensor&)>;

std::vector<std::int64_t> sizes_of(const plan::SegmentPlan& plan) {
  std::vector<std::int64_t> sizes;
  for (const plan::Segment& segment : plan.segments) {
    sizes.push_back(segment.last - segment.first);
  }
  return sizes;
}

std::vector<bool> regions_of(const plan::SegmentPlan& plan) {
  std::vector<bool> regions;
  for (const plan::Segment& segment : plan.segments) {
    regions.push_back(segment.is_region);
  }
  return regions;
}

// `count` stages that count their calls.
std::vector<Stage> stages(int count, const std::shared_ptr<int>& calls) {
  std::vector<Stage> all;
  for (int i = 0; i < count; ++i) {
    all.emplace_back([calls, i](const at::Tensor& t) {
      ++*calls;
      return (t * (i + 1)).sin();
    });
  }
  return all;
}

plan::SegmentPlan plan_for(int layers, int segments) {
  const auto result =
      checkpoint_sequential(stages(layers, std::make_shared<int>(0)), segments, ramp_leaf({3}));
  return result.plan;
}

// UC-12 A.
TEST(Sequential, SegmentSizesDifferByAtMostOne) {
  EXPECT_THAT(sizes_of(plan_for(9, 5)), ElementsAre(2, 2, 2, 2, 1));
  EXPECT_THAT(sizes_of(plan_for(8, 4)), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(sizes_of(plan_for(10, 4)), ElementsAre(3, 3, 2, 2));  // E3, P41
  EXPECT_THAT(sizes_of(plan_for(2, 5)), ElementsAre(1, 1));
}

TEST(Sequential, TheLastSegmentIsNoRegion) {
  EXPECT_THAT(regions_of(plan_for(9, 5)), ElementsAre(true, true, true, true, false));
  EXPECT_THAT(regions_of(plan_for(2, 5)), ElementsAre(true, false));
}

TEST(Sequential, OneSegmentIsReportedAsNothingCheckpointed) {
  const plan::SegmentPlan plan = plan_for(3, 1);

  EXPECT_THAT(sizes_of(plan), ElementsAre(3));
  EXPECT_THAT(regions_of(plan), ElementsAre(false));
  EXPECT_THAT(plan.text(), HasSubstr("nothing checkpointed"));
}

TEST(Sequential, NoModulesGiveTheInputBack) {
  const at::Tensor x = ramp_leaf({3});
  const auto result = checkpoint_sequential(std::vector<Stage>(), 4, x);

  EXPECT_TRUE(result.output.is_same(x));
  EXPECT_THAT(result.plan.segments, IsEmpty());
}

TEST(Sequential, StagesOfRegionsRunTwiceAndThoseOfTheLastSegmentOnce) {
  const auto calls = std::make_shared<int>(0);
  const at::Tensor x = ramp_leaf({3});
  checkpoint_sequential(support::rerunning(), stages(9, calls), 5, x).output.sum().backward();
  EXPECT_EQ(*calls, 9 + 8);
  const at::Tensor got = x.grad().clone();

  x.mutable_grad() = at::Tensor();
  at::Tensor h = x;
  for (const Stage& stage : stages(9, calls)) {
    h = stage(h);
  }
  h.sum().backward();
  EXPECT_TRUE(bitwise_equal(got, x.grad()));
  EXPECT_EQ(live_hooks(), 0);
}

// UC-12 B.
TEST(Sequential, EachLayerGetsTheResultOfTheOneBefore) {
  torch::nn::Sequential net(torch::nn::Linear(3, 4), torch::nn::Linear(4, 5),
                            torch::nn::Linear(5, 6), torch::nn::Linear(6, 7),
                            torch::nn::Linear(7, 2));
  const at::Tensor x = torch::linspace(-1, 1, 6).view({2, 3}).requires_grad_();
  const auto every_two = [](std::int64_t layers) { return plan::every_k(layers, 2); };

  const auto result = checkpoint_sequential(net, every_two, x);

  EXPECT_THAT(sizes_of(result.plan), ElementsAre(2, 2, 1));
  EXPECT_TRUE(bitwise_equal(result.output, net->forward(x)));
  result.output.square().sum().backward();
  Tensors got = {x.grad().clone()};
  for (const at::Tensor& each : net->parameters()) {
    got.push_back(each.grad().clone());
  }
  net->zero_grad();
  x.mutable_grad() = at::Tensor();
  net->forward(x).square().sum().backward();
  Tensors plain = {x.grad()};
  for (const at::Tensor& each : net->parameters()) {
    plain.push_back(each.grad());
  }
  EXPECT_TRUE(bitwise_equal(got, plain));
}

// UC-12 C.
TEST(Sequential, TuplesFlowThroughAllStages) {
  using Pair = std::tuple<at::Tensor, at::Tensor>;
  using PairStage = std::function<Pair(const at::Tensor&, const at::Tensor&)>;
  std::vector<PairStage> all;
  for (int i = 1; i <= 6; ++i) {
    all.emplace_back([i](const at::Tensor& a, const at::Tensor& b) {
      return Pair((a * i + b).sin(), (b * a).cos());
    });
  }
  const at::Tensor a = ramp_leaf({3});
  const at::Tensor b = ramp_leaf({3}).detach().exp().requires_grad_();

  const auto result = checkpoint_sequential(all, 3, Pair(a, b));
  (std::get<0>(result.output).sum() + std::get<1>(result.output).square().sum()).backward();
  const Tensors got = {a.grad().clone(), b.grad().clone()};

  a.mutable_grad() = at::Tensor();
  b.mutable_grad() = at::Tensor();
  Pair state(a, b);
  for (const PairStage& stage : all) {
    state = std::apply(stage, state);
  }
  (std::get<0>(state).sum() + std::get<1>(state).square().sum()).backward();
  EXPECT_TRUE(bitwise_equal(got, {a.grad(), b.grad()}));
  EXPECT_TRUE(bitwise_equal(std::get<1>(result.output), std::get<1>(state)));
}

// UC-12 D.
TEST(Sequential, OptionsReachEverySegment) {
  const auto stats = std::make_shared<RegionStats>();
  CheckpointOptions options = support::rerunning();
  options.name = "net";
  options.stats = stats;
  options.preserves_rng = false;
  std::vector<Stage> all;
  for (int i = 0; i < 4; ++i) {
    all.emplace_back([](const at::Tensor& t) { return torch::dropout(t.sin(), .5, true).exp(); });
  }
  checkpoint_sequential(options, all, 2, ramp_leaf({3})).output.sum().backward();
  EXPECT_EQ(stats->by_name().size(), 1u);
  EXPECT_EQ(stats->by_name().at("net 0-1").unpreserved_random, 2);

  checkpoint_sequential(options, all, plan::every_k(4, 1), ramp_leaf({3})).output.sum().backward();
  EXPECT_GE(stats->by_name().size(), 4u);
  EXPECT_EQ(stats->by_name().at("net 2-2").unpreserved_random, 1);
}

TEST(Sequential, DropoutInSegmentsDrawsTheNumbersOfPlain) {
  const auto step = [](bool in_segments) {
    torch::manual_seed(1);
    torch::nn::Sequential net(torch::nn::Linear(4, 4), torch::nn::Dropout(.5),
                              torch::nn::BatchNorm1d(4), torch::nn::Linear(4, 4),
                              torch::nn::Dropout(.5), torch::nn::Tanh());
    const at::Tensor x = torch::linspace(-1, 1, 12).view({3, 4}).requires_grad_();
    const at::Tensor y = in_segments ? checkpoint_sequential(net, 3, x).output : net->forward(x);
    y.square().sum().backward();
    Tensors all = {y.detach(), x.grad(), support::default_generator_state()};
    for (const at::Tensor& each : net->parameters()) {
      all.push_back(each.grad());
    }
    for (const at::Tensor& each : net->buffers()) {
      all.push_back(each);
    }
    return all;
  };

  EXPECT_TRUE(bitwise_equal(step(true), step(false)));
}

TEST(Sequential, AVectorThatIsGoneBeforeBackwardIsKeptByTheRegions) {
  const at::Tensor x = ramp_leaf({3});
  at::Tensor y;
  {
    const std::vector<Stage> all = stages(6, std::make_shared<int>(0));
    y = checkpoint_sequential(all, 3, x).output;
  }
  y.sum().backward();

  EXPECT_TRUE(x.grad().defined());
}

TEST(Sequential, APlanForAnotherNumberOfStagesIsRejected) {
  EXPECT_THAT(
      [] {
        checkpoint_sequential(stages(3, std::make_shared<int>(0)), plan::every_k(4, 2),
                              ramp_leaf({3}));
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("checkpoint_sequential")));
}

TEST(Sequential, APlanThatRunsAStageTwiceIsRejected) {
  EXPECT_THAT(
      [] {
        checkpoint_sequential(stages(3, std::make_shared<int>(0)),
                              plan::SegmentPlan{{{0, 2, true}, {1, 3, false}}}, ramp_leaf({3}));
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("from 1 up to 3 after 2 stages")));
}

TEST(Sequential, APlanThatLeavesOutAStageIsRejected) {
  EXPECT_THAT(
      [] {
        checkpoint_sequential(stages(3, std::make_shared<int>(0)),
                              plan::SegmentPlan{{{1, 3, true}}}, ramp_leaf({3}));
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("from 1 up to 3 after 0 stages")));
}

}  // namespace
}  // namespace reprise
