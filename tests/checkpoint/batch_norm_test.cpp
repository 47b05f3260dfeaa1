// SPDX-License-Identifier: Apache-2.0
// Running statistics change once a step, as in plain training (UC-01, P5, E6).
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::expect_same_as_plain;
using support::is_close;
using support::Nest;
using support::ramp;
using support::ramp_leaf;
using support::Step;
using support::Tensors;

// UC-01.
TEST(BatchNorm, StatisticsChangeOnceAStep) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    torch::nn::BatchNorm1d norm(torch::nn::BatchNorm1dOptions(2).momentum(.1));
    norm->to(torch::kDouble);
    Tensors seen;
    for (int step = 0; step < 3; ++step) {
      const at::Tensor x = (torch::arange(8, torch::kDouble).view({4, 2}) + step).requires_grad_();
      const at::Tensor y = region([=](const at::Tensor& t) mutable { return norm(t).tanh(); }, x);
      seen.push_back(norm->running_mean.clone());  // right already after forward
      y.sum().backward();
      seen.push_back(x.grad());
    }
    return Step{.outputs = seen,
                .leaves = {norm->weight, norm->bias},
                .buffers = {norm->running_mean, norm->running_var, norm->num_batches_tracked}};
  });

  EXPECT_TRUE(is_close(runs[1].buffers[0], {1.103, 1.374}));
  EXPECT_TRUE(is_close(runs[1].buffers[1], {2.53567, 2.53567}, 1e-5));
  EXPECT_EQ(runs[1].buffers[2].item<std::int64_t>(), 3);
  EXPECT_EQ(runs[1].counts.reruns, 3);
}

TEST(BatchNorm, StatisticsAreRightWithoutABackward) {
  expect_same_as_plain([](const Nest& region) {
    torch::nn::BatchNorm1d norm(2);
    norm->to(torch::kDouble);
    const at::Tensor y =
        region([=](const at::Tensor& t) mutable { return norm(t).tanh(); }, ramp_leaf({4, 2}));
    return Step{.outputs = {y},
                .buffers = {norm->running_mean, norm->running_var, norm->num_batches_tracked}};
  });
}

TEST(BatchNorm, MayBeReplacedBetweenSteps) {
  expect_same_as_plain([](const Nest& region) {
    struct Model {
      torch::nn::BatchNorm1d norm{2};
    } model;
    const auto fn = [&model](const at::Tensor& t) { return model.norm(t).tanh(); };
    Tensors seen;
    for (int step = 0; step < 2; ++step) {
      model.norm = torch::nn::BatchNorm1d(2);
      model.norm->to(torch::kDouble);
      region(fn, ramp_leaf({4, 2})).sum().backward();
      seen.push_back(model.norm->weight.grad());
    }
    return Step{.outputs = seen,
                .buffers = {model.norm->running_mean, model.norm->running_var,
                            model.norm->num_batches_tracked}};
  });
}

TEST(BatchNorm, WithoutMomentumAveragesEachStepOnce) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    torch::nn::BatchNorm1d norm(torch::nn::BatchNorm1dOptions(2).momentum(std::nullopt));
    norm->to(torch::kDouble);
    for (int step = 0; step < 3; ++step) {
      region([=](const at::Tensor& t) mutable { return norm(t).tanh(); },
             ((step + 1) * ramp({4, 2})).requires_grad_())
          .sum()
          .backward();
    }
    return Step{.buffers = {norm->running_mean, norm->running_var, norm->num_batches_tracked}};
  });

  EXPECT_EQ(runs[1].buffers[2].item<std::int64_t>(), 3);
}

// E6, P5.
TEST(BatchNorm, AConvolutionalNetKeepsItsStatisticsOver20Steps) {
  expect_same_as_plain([](const Nest& region) {
    torch::nn::Sequential net(torch::nn::Conv2d(1, 2, 3), torch::nn::BatchNorm2d(2),
                              torch::nn::ReLU(torch::nn::ReLUOptions().inplace(true)),
                              torch::nn::Conv2d(2, 2, 3), torch::nn::BatchNorm2d(2));
    net->to(torch::kDouble);
    torch::optim::SGD optimizer(net->parameters(), torch::optim::SGDOptions(.1).momentum(.9));
    for (int step = 0; step < 20; ++step) {
      optimizer.zero_grad();
      const at::Tensor x = torch::randn({2, 1, 6, 6}, torch::kDouble);
      region([=](const at::Tensor& t) mutable { return net->forward(t).square(); }, x)
          .sum()
          .backward();
      optimizer.step();
    }
    return Step{
        .outputs = net->parameters(), .leaves = net->parameters(), .buffers = net->buffers()};
  });
}

TEST(BatchNorm, TwoForwardsBeforeTwoBackwardsKeepTheStatisticsOfBoth) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    torch::nn::BatchNorm1d norm(2);
    norm->to(torch::kDouble);
    const auto fn = [=](const at::Tensor& t) mutable { return norm(t).tanh(); };
    const at::Tensor first = region(fn, ramp_leaf({4, 2}));
    const at::Tensor second = region(fn, (3 * ramp({4, 2})).requires_grad_());
    const at::Tensor after_forwards = norm->running_mean.clone();
    first.sum().backward();
    const at::Tensor between = norm->running_mean.clone();
    second.sum().backward();
    return Step{.outputs = {first, second, after_forwards, between},
                .leaves = {norm->weight, norm->bias},
                .buffers = {norm->running_mean, norm->running_var, norm->num_batches_tracked}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 2);
}

TEST(BatchNorm, StatisticsSharedByTwoRegionsOfOneModelChangeTwice) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    torch::nn::BatchNorm1d norm(2);
    norm->to(torch::kDouble);
    const auto fn = [=](const at::Tensor& t) mutable { return norm(t).tanh(); };
    const at::Tensor x = ramp_leaf({4, 2});
    region(fn, region(fn, x)).square().sum().backward();
    return Step{.leaves = {x, norm->weight, norm->bias},
                .buffers = {norm->running_mean, norm->running_var, norm->num_batches_tracked}};
  });

  EXPECT_EQ(runs[1].buffers[2].item<std::int64_t>(), 2);
}

TEST(BatchNorm, HashesOfValuesAgreeWhereStatisticsChangedSince) {
  CheckpointOptions options;
  options.determinism_check = DeterminismCheck::kValues;
  expect_same_as_plain(
      [](const Nest& region) {
        torch::nn::BatchNorm1d norm(2);
        norm->to(torch::kDouble);
        const auto fn = [=](const at::Tensor& t) mutable { return norm(t).tanh(); };
        const at::Tensor first = region(fn, ramp_leaf({4, 2}));
        const at::Tensor second = region(fn, ramp_leaf({4, 2}));
        first.sum().backward();
        second.sum().backward();
        return Step{
            .outputs = {first, second}, .leaves = {norm->weight}, .buffers = norm->buffers()};
      },
      options);
}

}  // namespace
}  // namespace reprise
