// SPDX-License-Identifier: Apache-2.0
// In-place ops on tensors that a region made: fine where plain autograd takes them, else the error
// of plain autograd or the right gradient, never another one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::expect_same_as_plain;
using support::is_close;
using support::leaf;
using support::Nest;
using support::ramp_leaf;
using support::Step;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(InPlace, OpsOnIntermediatesAreRepeated) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = ramp_leaf({2, 3});
    const at::Tensor w = ramp_leaf({3});
    const at::Tensor y = region(
        [w](const at::Tensor& t) {
          at::Tensor h = t * 2;
          h.mul_(w);
          h.relu_();
          h = h + 1;
          h.sigmoid_();
          h = h.clone();
          h.add_(w);
          h[0].mul_(w);
          return h.clone().tanh_();
        },
        x);
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x, w}};
  });

  EXPECT_EQ(runs[1].counts.reruns, 1);
}

TEST(InPlace, WritesToASliceOfAnIntermediateAreRepeated) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = ramp_leaf({2, 3});
    const at::Tensor y = region(
        [](const at::Tensor& t) {
          const at::Tensor h = torch::zeros({4, 3}, torch::kDouble);
          h.slice(0, 0, 2).copy_(t.sin());
          h.slice(0, 2, 4).copy_(t.cos());
          h.select(1, 0).mul_(t.sum());
          return h.exp();
        },
        x);
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x}};
  });
}

TEST(InPlace, MaskedAndIndexedWritesAreRepeated) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = ramp_leaf({6});
    const at::Tensor y = region(
        [](const at::Tensor& t) {
          at::Tensor h = t * 1;
          h.masked_fill_(t > .5, 0);
          h.index_put_({torch::tensor({0, 2})}, t.slice(0, 3, 5).exp());
          h.index_add_(0, torch::tensor({1, 1}), t.slice(0, 0, 2));
          h.clamp_(-.7, .7);
          return h.square();
        },
        x);
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x}};
  });
}

// Each `change` overwrites what exp() has saved; plain autograd refuses it in backward.
void expect_error_or_right_gradient(const std::function<at::Tensor(const at::Tensor&)>& fn,
                                    std::initializer_list<double> right) {
  const auto error = ThrowsMessage<c10::Error>(HasSubstr("modified by an inplace operation"));
  const auto backward = [&](int depth, const CheckpointOptions& options) {
    const at::Tensor x = leaf({.5, 1});
    Nest(depth, options)(fn, x).sum().backward();
    return x.grad();
  };
  EXPECT_THAT([&] { backward(0, {}); }, error);
  CheckpointOptions to_the_end;
  to_the_end.stops_early = false;
  EXPECT_THAT([&] { backward(1, to_the_end); }, error);
  for (int depth = 1; depth <= 3; ++depth) {
    SCOPED_TRACE(std::to_string(depth) + " regions deep");
    try {
      const at::Tensor got = backward(depth, {});
      EXPECT_TRUE(is_close(got, right)) << got;
    } catch (const c10::Error& error_of_region) {
      EXPECT_THAT(error_of_region.what(), HasSubstr("modified by an inplace operation"));
    }
  }
  EXPECT_EQ(live_hooks(), 0);
}

constexpr double kExpHalf = 1.6487212707001282;
constexpr double kExpOne = 2.718281828459045;

TEST(InPlace, ChangingASavedResultAtOnceIsNotSilent) {
  expect_error_or_right_gradient(
      [](const at::Tensor& t) {
        at::Tensor h = t.exp();
        h.mul_(2);
        return h;
      },
      {2 * kExpHalf, 2 * kExpOne});
}

TEST(InPlace, ChangingASavedResultAtOnceWithoutHistoryIsNotSilent) {
  expect_error_or_right_gradient(
      [](const at::Tensor& t) {
        at::Tensor h = t.exp();
        const torch::NoGradGuard no_grad;
        h.mul_(2);
        return h;
      },
      {kExpHalf, kExpOne});
}

TEST(InPlace, ChangingASavedResultLaterIsNotSilent) {
  expect_error_or_right_gradient(
      [](const at::Tensor& t) {
        at::Tensor h = t.exp();
        const at::Tensor sum = h + 1;
        h.mul_(2);
        return sum + h;
      },
      {3 * kExpHalf, 3 * kExpOne});
}

TEST(InPlace, ChangingASavedArgumentIsNotSilent) {
  expect_error_or_right_gradient(
      [](const at::Tensor& t) {
        at::Tensor h = t + 0;
        const at::Tensor y = h.exp() * 0 + h * h;
        h.add_(1);
        return y + 0 * h;
      },
      {1, 2});
}

TEST(InPlace, ChangingASavedArgumentRightAfterTheSaveIsNotSilent) {
  expect_error_or_right_gradient(
      [](const at::Tensor& t) {
        at::Tensor h = t + 0;
        const at::Tensor y = h * h;
        const torch::NoGradGuard no_grad;
        h.add_(1);
        return y;
      },
      {1, 2});
}

TEST(InPlace, ChangingASavedIntermediateByANestedRegionIsNotSilent) {
  const at::Tensor x = leaf({.5, 1});
  const at::Tensor y = checkpoint(
      [](const at::Tensor& t) {
        at::Tensor h = t.exp();
        const at::Tensor z =
            checkpoint([](const at::Tensor& in) { return (in * 1).mul_(2).sin(); }, h);
        return z + h;
      },
      x);
  y.sum().backward();

  const at::Tensor plain = leaf({.5, 1});
  const at::Tensor h = plain.exp();
  ((2 * h).sin() + h).sum().backward();
  EXPECT_TRUE(torch::allclose(x.grad(), plain.grad(), 1e-12, 1e-12));
}

}  // namespace
}  // namespace reprise
