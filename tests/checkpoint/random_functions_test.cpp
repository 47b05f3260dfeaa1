// SPDX-License-Identifier: Apache-2.0
// Random functions, randomly nested in regions, give bit by bit what they give plainly.
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::Nest;
using support::Step;
using support::Tensors;

constexpr std::int64_t kWidth = 4;

// What the ops of one function share.
struct Model {
  Tensors weights;
  at::Tensor counter = torch::zeros({}, torch::kLong);
  at::Tensor average = torch::zeros({kWidth}, torch::kDouble);
  at::Tensor cache = torch::zeros({8, kWidth}, torch::kDouble);
  torch::nn::BatchNorm1d norm{kWidth};
  torch::nn::Linear linear{kWidth, kWidth};

  Model() {
    for (int i = 0; i < 3; ++i) {
      weights.push_back(
          (torch::randn({kWidth, kWidth}, torch::kDouble) / 2).set_requires_grad(i != 1));
    }
    norm->to(torch::kDouble);
    linear->to(torch::kDouble);
  }
  Tensors leaves() const {
    return {weights[0], weights[1], weights[2], norm->weight, norm->bias, linear->weight};
  }
  Tensors buffers() const {
    return {
        counter, average, cache, norm->running_mean, norm->running_var, norm->num_batches_tracked};
  }
};

using Fn = std::function<at::Tensor(const at::Tensor&)>;
using Op = std::function<at::Tensor(Model&, const Nest& region, const at::Tensor&)>;

at::Tensor changed_in_place(const at::Tensor& t) {
  at::Tensor h = t * .5;
  h.mul_(1.5);
  h.add_(t);
  h.select(0, 0).mul_(2);
  return h;
}

const std::vector<Op>& ops() {
  static const std::vector<Op> all = {
      [](Model&, const Nest&, const at::Tensor& t) { return t.sin(); },
      [](Model&, const Nest&, const at::Tensor& t) { return t.tanh().exp(); },
      [](Model&, const Nest&, const at::Tensor& t) { return t * 1.5 + .25; },
      [](Model& m, const Nest&, const at::Tensor& t) { return t.mm(m.weights[0]); },
      [](Model& m, const Nest&, const at::Tensor& t) { return t.mm(m.weights[1]).relu(); },
      [](Model& m, const Nest&, const at::Tensor& t) { return t.mm(m.weights[2]).sigmoid(); },
      [](Model& m, const Nest&, const at::Tensor& t) { return m.linear(t); },
      [](Model& m, const Nest&, const at::Tensor& t) { return m.norm(t); },
      [](Model&, const Nest&, const at::Tensor& t) { return torch::dropout(t, .3, true); },
      [](Model&, const Nest&, const at::Tensor& t) {
        return std::get<0>(torch::native_dropout(t, .3, true));
      },
      [](Model&, const Nest&, const at::Tensor& t) { return torch::rrelu(t, .1, .9, true); },
      [](Model&, const Nest&, const at::Tensor& t) { return t + torch::randn_like(t) * .1; },
      [](Model&, const Nest&, const at::Tensor& t) { return changed_in_place(t); },
      [](Model& m, const Nest&, const at::Tensor& t) {
        m.counter.add_(1);
        return t * (m.counter % 3);
      },
      [](Model& m, const Nest&, const at::Tensor& t) {
        m.average.lerp_(t.detach().mean(0), .1);
        return t - m.average.clone();
      },
      [](Model&, const Nest&, const at::Tensor& t) { return t.softmax(-1) + t.detach(); },
      [](Model&, const Nest&, const at::Tensor& t) {
        return torch::cat({t.slice(1, 2), t.slice(1, 0, 2)}, 1).cos();
      },
      [](Model&, const Nest&, const at::Tensor& t) { return t.t().contiguous().t().square(); },
      [](Model&, const Nest&, const at::Tensor& t) { return std::get<0>(t.sort(-1)).atan(); },
      [](Model&, const Nest&, const at::Tensor& t) { return t; },
      [](Model&, const Nest&, const at::Tensor& t) { return torch::layer_norm(t, {kWidth}); },
      [](Model&, const Nest&, const at::Tensor& t) {
        const at::Tensor input = t.detach().requires_grad_();
        const at::Tensor slope = torch::autograd::grad({input.sin().sum()}, {input})[0];
        return t * slope;
      },
      [](Model&, const Nest& region, const at::Tensor& t) {
        return region(
            [](const at::Tensor& in) {
              in.mul_(2);
              return in.sin();
            },
            t * 1);
      },
      [](Model&, const Nest& region, const at::Tensor& t) {
        const at::Tensor captured = t.exp();
        return region([captured](const at::Tensor& in) { return (in * captured).tanh(); }, t);
      },
      [](Model& m, const Nest& region, const at::Tensor& t) {
        const at::Tensor cache = m.cache;
        const at::Tensor counter = m.counter;
        return region(
            [cache, counter](const at::Tensor& in) {
              cache.index_copy_(0, (counter % 8).view({1}), in.detach().slice(0, 0, 1));
              counter.add_(1);
              return in.mm(cache.clone().t()).softmax(-1).mm(cache.clone());
            },
            t);
      },
  };
  return all;
}

// A tree of regions and ops, drawn once and run several times.
struct Node {
  std::size_t op = 0;
  bool is_region = false;
  bool adds_input = false;
  std::vector<Node> children;
};

Node draw(std::mt19937& source, int levels) {
  const auto below = [&](std::size_t end) { return source() % end; };
  Node node;
  if (levels == 0 || below(3) == 0) {
    node.op = below(ops().size());
    return node;
  }
  node.is_region = below(4) != 0;
  node.adds_input = below(3) == 0;
  for (std::size_t i = 0, count = 1 + below(4); i < count; ++i) {
    node.children.push_back(draw(source, levels - 1));
  }
  return node;
}

// `depth`: 0 for plain, 1 to make regions of the nodes that are some.
at::Tensor run(const std::shared_ptr<Model>& model, const Node& node, const Nest& region,
               const at::Tensor& t) {
  if (node.children.empty()) {
    return ops()[node.op](*model, region, t);
  }
  const Fn fn = [model, node, region](const at::Tensor& in) {
    at::Tensor h = in;
    for (const Node& child : node.children) {
      h = run(model, child, region, h);
    }
    return node.adds_input ? h + in : h;
  };
  return node.is_region ? region(fn, t) : fn(t);
}

class RandomFunctions : public testing::TestWithParam<int> {};

constexpr int kFunctionsPerTest = 25;

TEST_P(RandomFunctions, GiveWhatTheyGivePlainly) {
  for (int i = 0; i < kFunctionsPerTest; ++i) {
    const int seed = GetParam() * kFunctionsPerTest + i;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 source(static_cast<std::uint32_t>(seed));
    std::vector<Node> blocks;
    for (int block = 0; block < 3; ++block) {
      blocks.push_back(draw(source, 3));
    }
    const bool retains = source() % 3 == 0;
    const bool has_two_forwards = source() % 3 == 0;
    const bool needs_input_grad = source() % 2 == 0;
    CheckpointOptions options;
    options.determinism_check =
        source() % 3 == 0 ? DeterminismCheck::kValues : DeterminismCheck::kMetadata;
    options.stops_early = source() % 4 != 0;
    options.debug = source() % 8 == 0;

    const support::Body body = [&](const Nest& region) {
      const auto model = std::make_shared<Model>();
      const at::Tensor x =
          torch::randn({3, kWidth}, torch::kDouble).set_requires_grad(needs_input_grad);
      const auto forward = [&] {
        at::Tensor h = x;
        for (const Node& block : blocks) {
          h = run(model, block, region, h);
        }
        return (h + model->weights[0].sum()).sin().sum();
      };
      Tensors losses = {forward()};
      if (has_two_forwards) {
        losses.push_back(forward());
      }
      for (const at::Tensor& loss : losses) {
        if (retains) {
          loss.backward({}, /*retain_graph=*/true);
        }
        loss.backward();
      }
      Tensors leaves = model->leaves();
      leaves.push_back(x);
      return Step{.outputs = losses, .leaves = leaves, .buffers = model->buffers()};
    };

    const support::Run plain = support::run_step(body, 0, options);
    support::Run regions;
    EXPECT_NO_THROW(regions = support::run_step(body, 1, options));
    EXPECT_TRUE(bitwise_equal(regions.outputs, plain.outputs));
    EXPECT_TRUE(bitwise_equal(regions.gradients, plain.gradients));
    EXPECT_TRUE(bitwise_equal(regions.buffers, plain.buffers));
    EXPECT_TRUE(bitwise_equal(regions.generator_state, plain.generator_state));
  }
}

INSTANTIATE_TEST_SUITE_P(Checkpoint, RandomFunctions, testing::Range(0, 12));

}  // namespace
}  // namespace reprise
