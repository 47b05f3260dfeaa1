// SPDX-License-Identifier: Apache-2.0
// Backward in another thread, and models in several threads at once.
#include <functional>
#include <future>
#include <thread>
#include <vector>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "tests/support/training.h"

namespace reprise {
namespace {

using support::bitwise_equal;
using support::expect_same_as_plain;
using support::leaf;
using support::Nest;
using support::ramp_leaf;
using support::Step;
using support::Tensors;

// Runs `work` on a thread of its own; its exception is ours.
void on_another_thread(const std::function<void()>& work) {
  std::async(std::launch::async, work).get();
}

TEST(Threads, BackwardMayRunOnAnotherThread) {
  const auto runs = expect_same_as_plain([](const Nest& region) {
    torch::nn::BatchNorm1d norm(3);
    norm->to(torch::kDouble);
    const at::Tensor x = ramp_leaf({4, 3});
    const at::Tensor y = region(
        [=](const at::Tensor& t) mutable { return torch::dropout(norm(t), .5, true).tanh(); }, x);
    on_another_thread([&] {
      y.sum().backward();
      EXPECT_FALSE(is_recomputing());
    });
    return Step{.outputs = {y}, .leaves = {x, norm->weight}, .buffers = norm->buffers()};
  });

  EXPECT_EQ(runs[1].counts.reruns, 1);
}

TEST(Threads, TheForwardMayHaveRunOnAThreadThatIsGone) {
  expect_same_as_plain([](const Nest& region) {
    torch::nn::Linear layer(4, 4);
    const at::Tensor x = torch::linspace(-1, 1, 8).view({2, 4}).requires_grad_();
    at::Tensor y;
    on_another_thread([&] {
      at::autocast::set_autocast_enabled(at::kCPU, true);
      at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
      y = region(
          [=](const at::Tensor& t) mutable {
            const at::Tensor h = layer(t);
            EXPECT_EQ(h.scalar_type(), at::kBFloat16);
            return h.to(torch::kFloat).tanh();
          },
          x);
      at::autocast::clear_cache();
    });
    y.sum().backward();
    return Step{.outputs = {y}, .leaves = {x, layer->weight}};
  });
}

// Ten steps of a model of its own, drawing from a generator of its own.
Tensors train(int depth, std::uint64_t seed) {
  at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(seed);
  const auto numbers = [&](c10::IntArrayRef sizes) {
    return at::empty(sizes, torch::kDouble).normal_(0, 1, generator);
  };
  const at::Tensor w = numbers({8, 8}).requires_grad_();
  const at::Tensor v = numbers({8, 8}).requires_grad_();
  const at::Tensor counter = torch::zeros({}, torch::kLong);
  torch::optim::SGD optimizer({w, v}, .01);
  for (int step = 0; step < 10; ++step) {
    optimizer.zero_grad();
    const auto block = [=](const at::Tensor& t) {
      counter.add_(1);
      const at::Tensor mask = at::empty({4, 8}, torch::kDouble).bernoulli_(.5, generator);
      return ((t.mm(w) * mask).tanh().mm(v)).tanh();
    };
    at::Tensor h = numbers({4, 8});
    for (int i = 0; i < 4; ++i) {
      h = Nest(depth, {})(block, h);
    }
    h.square().sum().backward();
    optimizer.step();
  }
  return {w.detach(), v.detach(), counter, generator.get_state()};
}

TEST(Threads, ModelsInSeveralThreadsDoNotDisturbEachOther) {
  const std::vector<Tensors> plain = {train(0, 1), train(0, 2), train(0, 3)};

  std::vector<std::future<Tensors>> futures;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    futures.push_back(std::async(std::launch::async, train, static_cast<int>(seed), seed));
  }

  EXPECT_TRUE(bitwise_equal(futures[0].get(), plain[0]));
  EXPECT_TRUE(bitwise_equal(futures[1].get(), plain[1]));
  EXPECT_TRUE(bitwise_equal(futures[2].get(), plain[2]));
  EXPECT_EQ(live_hooks(), 0);
}

TEST(Threads, BackwardsOfOneGraphInTwoThreadsAreBothRight) {
  const at::Tensor plain_x = ramp_leaf({64});
  const at::Tensor plain =
      torch::autograd::grad({(plain_x * 2).sin().exp().cos().sum()}, {plain_x})[0];
  {
    const at::Tensor x = ramp_leaf({64});
    const at::Tensor y =
        checkpoint([](const at::Tensor& t) { return (t * 2).sin().exp().cos(); }, x);
    const auto gradient = [&] {
      Tensors gradients;
      for (int i = 0; i < 20; ++i) {
        gradients.push_back(torch::autograd::grad({y.sum()}, {x}, {}, /*retain_graph=*/true)[0]);
      }
      return gradients;
    };
    auto first = std::async(std::launch::async, gradient);
    auto second = std::async(std::launch::async, gradient);

    EXPECT_TRUE(bitwise_equal(first.get(), Tensors(20, plain)));
    EXPECT_TRUE(bitwise_equal(second.get(), Tensors(20, plain)));
  }
  EXPECT_EQ(live_hooks(), 0);
}

TEST(Threads, ARerunOnOneThreadIsNotSeenOnAnother) {
  bool was_seen_elsewhere = false;
  const at::Tensor x = leaf({1, 2});
  checkpoint(
      [&](const at::Tensor& t) {
        if (is_recomputing()) {
          on_another_thread([&] { was_seen_elsewhere = is_recomputing(); });
        }
        return t.sin();
      },
      x)
      .sum()
      .backward();

  EXPECT_FALSE(was_seen_elsewhere);
}

}  // namespace
}  // namespace reprise
