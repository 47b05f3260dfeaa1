// SPDX-License-Identifier: Apache-2.0
// Captured tensors that an op of the region makes part of a graph: a rerun finds them as the first
// run did, and leaves them as the first run left them.
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::expect_modified_in_place;
using support::expect_same_as_plain;
using support::Nest;
using support::ramp_leaf;
using support::Step;

TEST(JoinsAGraph, ABufferThatWasReadBeforeIsTheErrorOfPlainTraining) {
  expect_modified_in_place([](const Nest& region) {
    const at::Tensor v = ramp_leaf({3});
    const at::Tensor buffer = torch::ones({3}, torch::kDouble);
    const at::Tensor y = region(
        [=](const at::Tensor& t) {
          const at::Tensor product = buffer * v;
          buffer.copy_(t);
          return product;
        },
        ramp_leaf({3}));
    y.sum().backward();
  });
}

TEST(JoinsAGraph, ABufferThatIsWrittenThroughAViewIsTheErrorOfPlainTraining) {
  expect_modified_in_place([](const Nest& region) {
    const at::Tensor v = ramp_leaf({3});
    const at::Tensor buffer = torch::ones({2, 3}, torch::kDouble);
    const at::Tensor y = region(
        [=](const at::Tensor& t) {
          const at::Tensor product = buffer[1] * v;
          buffer[0].copy_(t);
          return product;
        },
        ramp_leaf({3}));
    y.sum().backward();
  });
}

// With as many values saved, shapes and dtypes alike, as a rerun that follows the new state.
TEST(JoinsAGraph, LaterOpsThatSaveAsManyValuesDoNotHideIt) {
  expect_modified_in_place([](const Nest& region) {
    const at::Tensor v = ramp_leaf({3});
    const at::Tensor w = ramp_leaf({3});
    const at::Tensor buffer = torch::ones({3}, torch::kDouble);
    const at::Tensor y = region(
        [=](const at::Tensor& t) {
          const at::Tensor product = buffer * v;
          buffer.copy_(t * w);
          return product + buffer;
        },
        ramp_leaf({3}));
    y.sum().backward();
  });
}

TEST(JoinsAGraph, ACacheThatIsWrittenBeforeItIsReadWorks) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = ramp_leaf({3});
    const at::Tensor v = ramp_leaf({3});
    const at::Tensor cache = torch::zeros({2, 3}, torch::kDouble);
    const at::Tensor y = region(
        [=](const at::Tensor& t) {
          cache[1].copy_(t * v);
          return (cache * v).sin();
        },
        x);
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x, v}, .buffers = {cache.detach()}};
  });
}

// A rerun that left its own graph behind would send the gradient nowhere.
TEST(JoinsAGraph, ALossOnTheBufferAfterARerunReachesItsMakers) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = ramp_leaf({3});
    const at::Tensor buffer = torch::ones({3}, torch::kDouble);
    const at::Tensor y = region(
        [=](const at::Tensor& t) {
          const at::Tensor sine = t.sin();
          buffer.copy_(sine * 3);
          return sine.exp();
        },
        x);
    y.sum().backward({}, /*retain_graph=*/true);
    (buffer * 2).sum().backward();
    return Step{.outputs = {y}, .leaves = {x}, .buffers = {buffer.detach()}};
  });
}

TEST(JoinsAGraph, ACapturedIntermediateThatIsWrittenKeepsItsHistory) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = ramp_leaf({3});
    const at::Tensor w = ramp_leaf({3});
    const at::Tensor captured = x * 2;
    const at::Tensor y = region(
        [captured, w](const at::Tensor& t) {
          const at::Tensor before = captured + w;
          captured.mul_(w);
          return before * t.cos() + captured;
        },
        x);
    y.sum().backward({}, /*retain_graph=*/true);
    (captured * 3).sum().backward();
    return Step{.outputs = {y, captured}, .leaves = {x, w}};
  });
}

TEST(JoinsAGraph, AFlagThatTheRegionSetsIsSetAgain) {
  expect_same_as_plain([](const Nest& region) {
    const at::Tensor x = ramp_leaf({3});
    const at::Tensor v = ramp_leaf({3});
    const at::Tensor p = support::ramp({3});
    const at::Tensor y = region(
        [=](const at::Tensor& t) {
          const at::Tensor frozen = p * v;
          p.requires_grad_(true);
          return frozen * (p * t).sin();
        },
        x);
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x, v, p}};
  });
}

}  // namespace
}  // namespace reprise
