// SPDX-License-Identifier: Apache-2.0
// In-place ops on tensors that a region made: fine where plain autograd takes them, else the error
// of plain autograd, or the right gradient if the rerun stops before the op. Never another one.
#include <functional>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::expect_region_same_as_plain;
using support::expect_same_as_plain;
using support::leaf;
using support::Nest;
using support::ramp;
using support::ramp_leaf;
using support::Step;
using support::throws_modified_in_place;

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
  expect_region_same_as_plain(
      [](const at::Tensor& t) {
        const at::Tensor h = torch::zeros({4, 3}, torch::kDouble);
        h.slice(0, 0, 2).copy_(t.sin());
        h.slice(0, 2, 4).copy_(t.cos());
        h.select(1, 0).mul_(t.sum());
        return h.exp();
      },
      ramp({2, 3}));
}

TEST(InPlace, MaskedAndIndexedWritesAreRepeated) {
  expect_region_same_as_plain(
      [](const at::Tensor& t) {
        at::Tensor h = t * 1;
        h.masked_fill_(t > .5, 0);
        h.index_put_({torch::tensor({0, 2})}, t.slice(0, 3, 5).exp());
        h.index_add_(0, torch::tensor({1, 1}), t.slice(0, 0, 2));
        h.clamp_(-.7, .7);
        return h.square();
      },
      ramp({6}));
}

TEST(InPlace, AnIntermediateWhoseStorageIsReplacedIsReadAsItWas) {
  expect_region_same_as_plain(
      [](const at::Tensor& t) {
        const at::Tensor factor = t.detach().exp();
        const at::Tensor sum = t + factor;
        factor.set_(t.detach().cos());  // nobody holds the exponential any more
        return (sum * factor).sin();
      },
      ramp({3}));
}

constexpr double kExpHalf = 1.6487212707001282;
constexpr double kExpOne = 2.718281828459045;

// A function that changes in place what autograd has saved; plain autograd refuses its backward.
struct Change {
  std::string of;
  std::function<at::Tensor(const at::Tensor&)> fn;
  std::vector<double> right;  // the gradient at {.5, 1} if the change came after all saves
};

void PrintTo(const Change& change, std::ostream* out) { *out << change.of; }

const std::vector<Change>& changes() {
  static const std::vector<Change> all = {{"AResultAtOnce",
                                           [](const at::Tensor& t) {
                                             at::Tensor h = t.exp();
                                             h.mul_(2);
                                             return h;
                                           },
                                           {2 * kExpHalf, 2 * kExpOne}},
                                          {"AResultAtOnceWithoutHistory",
                                           [](const at::Tensor& t) {
                                             at::Tensor h = t.exp();
                                             const torch::NoGradGuard no_grad;
                                             h.mul_(2);
                                             return h;
                                           },
                                           {kExpHalf, kExpOne}},
                                          {"AResultLater",
                                           [](const at::Tensor& t) {
                                             at::Tensor h = t.exp();
                                             const at::Tensor sum = h + 1;
                                             h.mul_(2);
                                             return sum + h;
                                           },
                                           {3 * kExpHalf, 3 * kExpOne}},
                                          {"AnArgument",
                                           [](const at::Tensor& t) {
                                             at::Tensor h = t + 0;
                                             const at::Tensor y = h.exp() * 0 + h * h;
                                             h.add_(1);
                                             return y + 0 * h;
                                           },
                                           {1, 2}},
                                          {"AnArgumentRightAfterTheSave",
                                           [](const at::Tensor& t) {
                                             at::Tensor h = t + 0;
                                             const at::Tensor y = h * h;
                                             const torch::NoGradGuard no_grad;
                                             h.add_(1);
                                             return y;
                                           },
                                           {1, 2}}};
  return all;
}

class ChangeAtDepth : public testing::TestWithParam<std::tuple<Change, int>> {
 protected:
  void TearDown() override { EXPECT_EQ(live_hooks(), 0); }

  static at::Tensor gradient(const CheckpointOptions& options) {
    const auto& [change, depth] = GetParam();
    const at::Tensor x = leaf({.5, 1});
    Nest(depth, options)(change.fn, x).sum().backward();
    return x.grad();
  }
};

std::string change_and_depth(const testing::TestParamInfo<std::tuple<Change, int>>& info) {
  return std::get<0>(info.param).of + "_" + std::to_string(std::get<1>(info.param)) + "_deep";
}

class ChangeSeen : public ChangeAtDepth {};

TEST_P(ChangeSeen, IsTheErrorOfPlain) {
  CheckpointOptions to_the_end;
  to_the_end.stops_early = false;

  EXPECT_THAT([&] { gradient(to_the_end); }, throws_modified_in_place());
}

// 0 deep is plain autograd.
INSTANTIATE_TEST_SUITE_P(InPlace, ChangeSeen,
                         testing::Combine(testing::ValuesIn(changes()), testing::Range(0, 4)),
                         change_and_depth);

class ChangeAfterAllSaves : public ChangeAtDepth {};

TEST_P(ChangeAfterAllSaves, IsNotRepeatedByARerunThatStopsEarly) {
  const at::Tensor right = torch::tensor(std::get<0>(GetParam()).right, at::kDouble);

  const at::Tensor got = gradient(support::rerunning());

  EXPECT_TRUE(torch::allclose(got, right, 1e-9, 1e-9)) << got;
}

INSTANTIATE_TEST_SUITE_P(InPlace, ChangeAfterAllSaves,
                         testing::Combine(testing::ValuesIn(changes()), testing::Range(1, 4)),
                         change_and_depth);

TEST(InPlace, ChangingACopyOfASavedIntermediateInANestedRegionIsRepeated) {
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
